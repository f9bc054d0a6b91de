# SPDX-License-Identifier: Apache-2.0
"""Finds what a C++ file defines in its namespaces, by braces. A heuristic, like cpp_functions."""

import re
from typing import NamedTuple

from lint.cpp_functions import without_noise

NAMESPACE = re.compile(r"\bnamespace\b\s*([\w:]*)$")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)(?=\s)", re.DOTALL)
TYPE = re.compile(r"(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^)]*\)\s*)?([\w:]+)")
ALIAS = re.compile(r"using\s+(\w+)\s*=")
FUNCTION = re.compile(r"[^=]*?(operator\s*(?:\(\)|[^\s\w(]+)|[\w:~]+)\s*\(")
VARIABLE = re.compile(r"[\w:<>,\s*&]*?[\s*&>](\w+)\s*(?:\[[^\]]*\]\s*)?(?:=.*)?$", re.DOTALL)
NO_DEFINITION = ("using", "friend", "static_assert", "extern", "typedef", ",", ":")
UNNAMED = "(unnamed)"


class Definition(NamedTuple):
    """A name that a file defines, and the namespace around it; UNNAMED is a part of those of one file."""

    namespace: str
    name: str


def without_template(head: str) -> str:
    """A declaration without its `template <…>`."""
    if not head.startswith("template"):
        return head
    depth = 0
    for position, char in enumerate(head):
        depth += {"<": 1, ">": -1}.get(char, 0)
        if char == ">" and depth == 0:
            return without_template(head[position + 1 :].lstrip())
    return ""


def defined_name(declaration: str, *, has_body: bool) -> str | None:
    """What the declaration defines outside of any class; None for forward declarations and members."""
    head = without_template(ATTRIBUTE.sub("", declaration).strip())
    if has_body and head.startswith("extern"):  # "C", which is blanked like all strings
        head = head.removeprefix("extern").lstrip()
    if alias := ALIAS.match(head):
        return alias.group(1)
    if not head or head.startswith(NO_DEFINITION) or head.startswith("static "):
        return None
    if function := FUNCTION.match(head):
        name, is_defined = function.group(1), has_body
    elif kind := TYPE.match(head):
        name, is_defined = kind.group(1), has_body
    elif variable := VARIABLE.match(head):
        name, is_defined = variable.group(1), True
    else:
        return None
    return name if is_defined and "::" not in name else None


def definitions(text: str) -> list[Definition]:
    """Types, aliases, functions and constants that a file defines in namespaces, in order."""
    code = without_noise(text)
    found: list[Definition] = []
    scopes: list[str | None] = []  # per open brace: its namespace; None where it is something else's body
    start, parentheses = 0, 0
    for position, char in enumerate(code):
        parentheses += {"(": 1, ")": -1}.get(char, 0)
        if parentheses > 0 or char not in "{};":
            continue
        head = code[start:position].strip()
        start = position + 1
        if char != "}" and None not in scopes:
            opened = NAMESPACE.search(head) if char == "{" else None
            if opened:
                scopes.append(opened.group(1) or UNNAMED)
                continue
            if char == "{" and head == "extern":
                scopes.append("")
                continue
            if name := defined_name(head, has_body=char == "{"):
                found.append(Definition("::".join(s for s in scopes if s), name))
        if char == "{":
            scopes.append(None)
        elif char == "}" and scopes:
            scopes.pop()
    return found
