# SPDX-License-Identifier: Apache-2.0
"""Random programs equal eager on every input, or are refused by line. `-m long` tries 3,000 of them."""

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest
from python.torch.random_programs.attempt import Attempt
from python.torch.random_programs.inputs import next_to_a_threshold, way_of
from python.torch.random_programs.pairs import REWRITES, same_meaning
from python.torch.random_programs.shrink import regression_test, smallest
from python.torch.random_programs.verdict import Verdict, compared, compiled, load

SHORT = 23
TESTS = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", range(SHORT))
def test_random_program(seed, tmp_path):
    verdict = Attempt.of_seed(seed).verdict(tmp_path)
    assert not verdict.failed, f"{verdict.what}: {verdict.detail}\n{verdict.pair}"


@pytest.mark.long
def test_three_thousand_random_programs():
    command = [sys.executable, "-m", "python.torch.random_programs", "--programs", "3000", "--jobs", "2"]
    done = subprocess.run([*command, "--seconds", "7200"], cwd=TESTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "equal" in done.stdout


BRANCH = """
def program(x, n, w):
    t = x * 2
    if x.sum() > 1:
        t = t + 1
    else:
        t = t - 1
    for i in range(int(n)):
        t = t + i
    while t.sum() > 40:
        t = t / 2
    return t
"""


def test_a_seed_gives_the_same_program_every_time():
    assert Attempt.of_seed(7).source == Attempt.of_seed(7).source
    assert Attempt.of_seed(7).source != Attempt.of_seed(8).source


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__)
def test_a_rewritten_program_is_another_that_means_the_same(rewrite, tmp_path):
    tree = ast.parse(BRANCH)
    assert rewrite(tree, random.Random(0))
    text = ast.unparse(ast.fix_missing_locations(tree))
    assert text != ast.unparse(ast.parse(BRANCH))
    calls = Attempt.of_seed(0).calls
    one, other = load(BRANCH, tmp_path), load(text, tmp_path)
    for call in calls:
        assert one(*call.args).tolist() == other(*call.args).tolist()


def test_a_wrong_program_is_noticed(tmp_path):
    calls = Attempt.of_seed(0).calls
    right = load(BRANCH, tmp_path)
    wrong = load(BRANCH.replace("t - 1", "t - 1.001"), tmp_path)
    verdict, program = compiled(wrong, calls)
    assert verdict.kind == "equal"
    assert compared(right, program, calls).kind == "wrong"


def test_a_loop_without_end_is_not_compiled(tmp_path):
    endless = load("def program(x, n, w):\n    while True:\n        x = x + 1\n", tmp_path)
    verdict, program = compiled(endless, Attempt.of_seed(0).calls, seconds=0.5)
    assert (verdict.kind, program) == ("endless", None)


def test_inputs_next_to_a_threshold_go_both_ways(tmp_path):
    model = load(BRANCH, tmp_path)
    calls = Attempt.of_seed(0).calls
    found = [pair for seed in range(10) if (pair := next_to_a_threshold(model, calls, seed))]
    assert found
    for low, high in found:
        assert way_of(model, low) != way_of(model, high)
        assert (low.args[0] - high.args[0]).abs().max() < 1e-5


def test_undecided_inputs_are_counted_apart(tmp_path):
    model = load(BRANCH, tmp_path)
    calls = Attempt.of_seed(0).calls
    pair = next(pair for seed in range(10) if (pair := next_to_a_threshold(model, calls, seed)))
    _, program = compiled(model, calls)
    verdict = compared(model, program, pair)
    assert not verdict.failed
    assert verdict.undecided > 0


def test_the_smallest_failing_program_is_kept_as_a_test():
    source = "import torch\n" + BRANCH
    small = smallest(source, lambda text: "range(" in text and "return" in text)
    assert "while" not in small
    assert "if" not in small
    text = regression_test(small, "found", ["torch.tensor([1.0])"], Verdict("wrong").what)
    assert "def found(x, n, w):" in text
    assert "@case(\n    (torch.tensor([1.0]),)," in text
    compile(text, "found.py", "exec")


def test_programs_have_every_construct():
    text = "".join(Attempt.of_seed(seed).source for seed in range(200))
    wanted = ["while True", "for i", "range(int(", "break", "continue", "else:", "raise Stop", "finally:"]
    wanted += [
        "return ",
        "nonlocal",
        "lambda",
        ".append(",
        "+= ",
        "[1:] =",
        "torch.float64",
        ".long()",
        "None",
    ]
    assert [piece for piece in wanted if piece not in text] == []


def test_pairs_are_found_for_most_programs():
    pairs = [same_meaning(Attempt.of_seed(seed).source, seed) for seed in range(50)]
    assert sum(pair is not None for pair in pairs) > 40
