# SPDX-License-Identifier: Apache-2.0
"""collections.Counter, and classes of dicts that say what a missing key has."""

from collections import Counter

from python.torch.case import case, v

A, B, C = v(1.0, 2.0), v(-1.0, 2.0), v(-3.0, -2.0)


@case(A, B)
def counted_letters(x):
    counts = Counter("abca")
    if x[0] > 0:
        counts["z"] += 2
    ordered = sorted(counts.items()), counts.most_common(2), list(counts.elements())
    return x * counts["z"], ordered, counts.total(), len(counts), "z" in counts, counts.get("q")


@case(A, B, C)
def votes(x):
    counts = Counter("yes" if number > 0 else "no" for number in x)
    winner, count = counts.most_common(1)[0]
    return winner, count, counts["no"], max(counts, key=counts.get)


@case(A, B, C)
def counts_that_the_run_knows(x):
    counts = Counter(a=int(x[0]), b=0)
    counts["sum"] += x.sum()
    counts["b"] += 1 if x[1] > 0 else 5
    return counts["a"], counts["sum"], counts["b"], counts["missing"]


@case(A, B)
def counters_as_bags(x):
    left, right = Counter(["a", "b"]), Counter(a=1, z=5)
    if x[0] > 0:
        left.update("zz")
    both = dict(left + right), dict(left - right), dict(left & right), dict(left | right)
    return both, left == right, left != right, left <= right, dict(+left), dict(-left)


@case(A, B)
def counters_are_changed(x):
    counts = Counter({"a": 2, "b": 1})
    copy = counts.copy()
    counts.subtract("ab")
    counts.subtract({"a": int(x[0])})
    del counts["never"]
    copy += Counter("b")
    copy["a"] = 9
    popped = copy.pop("a"), copy.pop("never", None), copy.setdefault("c", 4)
    counts.clear() if x[0] > 0 else counts.update({"a": 1}, k=2)
    return dict(counts), dict(copy), popped, type(copy) is Counter, bool(counts), {**copy}


@case(A, B)
def counters_as_texts(x):
    counts = Counter("aab")
    try:
        Counter.fromkeys("ab")
    except NotImplementedError as error:
        return repr(counts), str(Counter()), str(error), x[0] > 0


class Doubling(Counter):
    def __missing__(self, key):
        return 5

    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class Squares(dict):
    def __missing__(self, key):
        self[key] = value = key * key
        return value


@case(A, B)
def classes_that_say_what_is_missing(x):
    counts, squares = Doubling(), Squares()
    counts["a"] = 1
    counts["b"] += 1
    counts.update("ab")
    found = squares[3] + (squares[4] if x[0] > 0 else 1)
    return dict(counts), counts["q"], x * found, dict(squares), 3 in squares, squares.get(9)
