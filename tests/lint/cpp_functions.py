# SPDX-License-Identifier: Apache-2.0
"""Finds function bodies in C++ by their braces. A heuristic: good enough to measure lengths."""

import re

NOISE = re.compile(
    r'R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^\s*#[^\n]*',
    re.DOTALL | re.MULTILINE,
)
TRANSPARENT = re.compile(r"\b(namespace|struct|class|union|enum|extern)\b[^()]*$|\bextern\s*$")


def without_noise(text: str) -> str:
    """The code with comments, strings and preprocessor lines blanked, line by line."""
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def function_bodies(text: str) -> list[tuple[int, int]]:
    """(first line, number of lines) of every outermost function body."""
    code = without_noise(text)
    bodies: list[tuple[int, int]] = []
    stack: list[bool] = []  # per open brace: is it a function body?
    head_start, line, opened_at = 0, 1, 0
    for position, char in enumerate(code):
        if char == "\n":
            line += 1
        elif char == "{":
            head = code[head_start:position]
            is_body = not any(stack) and ")" in head and not TRANSPARENT.search(head)
            if is_body:
                opened_at = line
            stack.append(is_body)
            head_start = position + 1
        elif char == "}" and stack:
            if stack.pop():
                bodies.append((opened_at, line - opened_at + 1))
            head_start = position + 1
        elif char == ";":
            head_start = position + 1
    return bodies
