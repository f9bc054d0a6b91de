# SPDX-License-Identifier: Apache-2.0
"""What callables are called with: kinds of arguments as program text, and the ways to place them.

In the text of a call `a` is the argument that is looked at afterwards; `b` and `c` are others of its kind.
"""

from dataclasses import dataclass

# Definitions that programs start with where they use them.
DEFINITIONS = {
    "Spy": """
class Spy:
    def __init__(self):
        self.count = 0.0

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        self.__dict__["count"] = self.__dict__.get("count", 0.0) + 1.0
        return 2.0

    def __eq__(self, other):
        self.count += 2.0
        return self is other

    def __lt__(self, other):
        self.count += 3.0
        return False

    def __hash__(self):
        self.count += 4.0
        return 5

    def __bool__(self):
        self.count += 5.0
        return True

    def __len__(self):  # CPython asks for it as a hint where it likes
        return 3

    def __iter__(self):
        self.count += 7.0
        return iter([3.0, 1.0, 2.0])

    def __getitem__(self, key):
        self.count += 8.0
        return [3.0, 1.0, 2.0][key]

    def __setitem__(self, key, value):
        self.count += 9.0

    def __contains__(self, item):
        self.count += 10.0
        return True

    def __float__(self):
        self.count += 11.0
        return 2.0

    def __index__(self):
        self.count += 12.0
        return 2

    def __call__(self, *args):
        self.count += 13.0
        return 2.0

    def __iadd__(self, other):
        self.count += 14.0
        return self

    def __add__(self, other):
        self.count += 15.0
        return 2.0

    def __repr__(self):
        self.count += 16.0
        return "Spy"

    def __enter__(self):
        self.count += 17.0
        return self

    def __exit__(self, *args):
        self.count += 18.0

    def __copy__(self):
        self.count += 19.0
        return self

    def __next__(self):
        self.count += 20.0
        return 2.0

    def __abs__(self):
        self.count += 21.0
        return 2.0
""",
    "Missing": """
class Missing(dict):
    def __missing__(self, key):
        self[key] = 4.0
        return 4.0
""",
    "twice": """
def twice(*args):
    return 2.0
""",
}


@dataclass(frozen=True)
class Kind:
    make: str  # a
    other: str = ""  # b and c; else as a
    digest: str = "items"  # see digests.py
    base: str = ""  # a larger object, and which part of it is like a
    part: str = ""
    alias: str = "(a,)"  # something made from a before a call, and a read as a again
    back: str = "s[0]"
    write: str = ""  # a statement that changes a


_ARRAY = "numpy.array([0.75, 0.25, 0.5])"
_TENSOR = "torch.tensor([0.75, 0.25, 0.5])"
_MATRIX = "[[0.75, 0.25], [0.5, 0.125]]"
_WHOLE = {"alias": "a[:]", "back": "s"}  # another view of the same memory

KINDS = {
    "number": Kind("2.0", "3.0", "number"),
    "integer": Kind("2", "3", "number"),
    "str": Kind('"abc"', '"b"', "length"),
    "bytes": Kind('b"abcdefgh"', 'b"b"', "length"),
    "list": Kind("[3.0, 1.0, 2.0]", "[1.0, 5.0]", write="a.append(9.0)"),
    "int_list": Kind("[2, 0, 1]", "[1, 5]", write="a[0] = 9"),
    "text_list": Kind('["b", "a"]', '["c"]', "length", write='a.append("d")'),
    "dict": Kind('{"a": 1.0, "b": 2.0}', '{"c": 3.0}', "mapping", write='a["e"] = 9.0'),
    "set": Kind("{1.0, 2.0, 3.0}", "{2.0, 5.0}", "set", write="a.add(9.0)"),
    "bytearray": Kind('bytearray(b"abcdefgh")', 'bytearray(b"b")', write="a[0] = 9"),
    "deque": Kind(
        "collections.deque([3.0, 1.0, 2.0])", "collections.deque([1.0, 5.0])", write="a.append(9.0)"
    ),
    "counter": Kind('collections.Counter("aab")', 'collections.Counter("bc")', "mapping", write='a["e"] = 9'),
    "ordered": Kind(
        "collections.OrderedDict(a=1.0, b=2.0)",
        "collections.OrderedDict(c=3.0)",
        "mapping",
        write='a["e"] = 9.0',
    ),
    "default": Kind(
        "collections.defaultdict(float, a=1.0, b=2.0)", '{"c": 3.0}', "mapping", write='a["e"] = 9.0'
    ),
    "missing": Kind("Missing(a=1.0, b=2.0)", '{"c": 3.0}', "mapping", write='a["e"] = 9.0'),
    "spy": Kind("Spy()", "Spy()", "count"),
    "iterator": Kind("iter([3.0, 1.0, 2.0])", "[1.0, 5.0]", "next"),
    "int_iterator": Kind("iter([2, 0, 1])", "[1, 2]", "next"),
    "generator": Kind("(v for v in [3.0, 1.0, 2.0])", "[1.0, 5.0]", "next"),
    "array": Kind(
        _ARRAY,
        "numpy.array([0.5, 0.125, 0.25])",
        "array",
        "numpy.array([0.0, 0.75, 0.25, 0.5])",
        "base[1:]",
        write="a *= 2",
        **_WHOLE,
    ),
    "int_array": Kind(
        "numpy.array([2, 0, 1])",
        "numpy.array([1, 2, 0])",
        "array",
        "numpy.array([4, 2, 0, 1])",
        "base[1:]",
        write="a *= 2",
        **_WHOLE,
    ),
    "matrix_array": Kind(
        f"numpy.array({_MATRIX})",
        "numpy.array([[0.5, 0.25], [0.75, 0.5]])",
        "grid",
        "numpy.array([[0.75, 0.25, 0.0], [0.5, 0.125, 0.0]])",
        "base[:, :2]",
        write="a *= 2",
        **_WHOLE,
    ),
    "text_array": Kind('numpy.array(["b", "a"])', 'numpy.array(["a", "c"])', "none", write='a[0] = "z"'),
    "masked": Kind(
        "numpy.ma.array([0.75, 0.25, 0.5], mask=[0, 0, 1])",
        "numpy.ma.array([0.5, 0.125, 0.25])",
        "masked",
        write="a *= 2",
    ),
    "arrays": Kind(f"[{_ARRAY}, {_ARRAY}]", f"[{_ARRAY}]", "arrays", write="a[0] *= 2"),
    "tensor": Kind(
        _TENSOR,
        "torch.tensor([0.5, 0.125, 0.25])",
        "tensor",
        "torch.tensor([0.0, 0.75, 0.25, 0.5])",
        "base[1:]",
        write="a.mul_(2)",
        **_WHOLE,
    ),
    "dynamic": Kind(
        "(x * 2)",
        "torch.tensor([0.5, 0.125, 0.25])",
        "tensor",
        "(x * 2)",
        "base[:]",
        write="a.mul_(2)",
        **_WHOLE,
    ),
    "int_tensor": Kind(
        "torch.tensor([2, 0, 1])",
        "torch.tensor([1, 2, 0])",
        "tensor",
        "torch.tensor([4, 2, 0, 1])",
        "base[1:]",
        write="a.mul_(2)",
        **_WHOLE,
    ),
    "bool_tensor": Kind("torch.tensor([True, False, True])", "torch.tensor([True, True, False])", "tensor"),
    "matrix": Kind(
        f"torch.tensor({_MATRIX})",
        "torch.tensor([[0.5, 0.25], [0.75, 0.5]])",
        "tensor",
        "torch.tensor([[0.75, 0.25, 0.0], [0.5, 0.125, 0.0]])",
        "base[:, :2]",
        write="a.mul_(2)",
        **_WHOLE,
    ),
    "image": Kind(
        "(torch.arange(32.0).reshape(1, 2, 4, 4) / 32)",
        "(torch.arange(16.0).reshape(2, 2, 2, 2) / 16)",
        "tensor",
        write="a.mul_(2)",
    ),
    "parameter": Kind(f"torch.nn.Parameter({_TENSOR})", f"torch.nn.Parameter({_TENSOR})", "tensor"),
    "tensors": Kind(f"[{_TENSOR}, {_TENSOR}]", f"[{_TENSOR}, {_TENSOR}]", "arrays", write="a[0].mul_(2)"),
    "matrices": Kind(f"[torch.tensor({_MATRIX})]", f"[torch.tensor({_MATRIX})]", "arrays"),
    "dynamics": Kind("[x * 2, x * 3]", f"[{_TENSOR}, {_TENSOR}]", "arrays"),
    "layer": Kind("torch.nn.utils.skip_init(torch.nn.Linear, 2, 2)", "", "none"),
    "file": Kind('"data.txt"', '"data.bin"', "length"),
}

# The order in which kinds are tried: those that can be changed first, and those of the library first of all.
_PLAIN = [
    *[
        "list",
        "iterator",
        "dict",
        "set",
        "spy",
        "array",
        "tensor",
        "deque",
        "bytearray",
        "int_list",
        "generator",
    ],
    *["counter", "ordered", "default", "missing", "int_iterator", "text_list", "int_array", "matrix_array"],
    *["str", "integer", "number", "bytes"],
]
_TORCH = ["tensor", "dynamic", "matrix", "tensors", "int_tensor", "image", "list", "integer", "bool_tensor"]
_NUMPY = ["array", "int_array", "matrix_array", "list", "iterator", "arrays", "spy", "masked", "text_array"]
PREFERRED = {
    "": _PLAIN,
    "torch.": [*_TORCH, "dynamics", "iterator"],
    "torch._foreach_": ["tensors", "dynamics", "matrices"],
    "torch.nn.": ["integer"],
    "torch.nn.functional.": ["image", "tensor", "dynamic", "matrix", "int_tensor"],
    "torch.nn.init.": ["tensor", "matrix", "dynamic"],
    "torch.nn.utils.": ["parameter", "matrices", "tensors", "tensor", "layer", "dynamic"],
    "numpy.": [*_NUMPY, "file"],
    "numpy.ma.": ["masked", "array", "matrix_array"],
    "numpy.char.": ["text_array", "str", "text_list"],
    "numpy.strings.": ["text_array", "int_array", "str"],
    "numpy.random.": ["array", "integer", "list", "number"],
    "math.": ["number", "integer", "list", "iterator", "spy"],
}

_ONE = ["0", "1", "b", "2.0", '"b"', "[0]", "(0, 1)", "(2, 2)", "None", "float", "twice", "[a]", "[b]", "0.5"]
_TWO = ["0", "1", "2.0", "b", "[0]", "a", '"b"', "(2, 2)"]
_FIRST = ["0", "1", "b", "2.0", '"b"', "twice", "float", '">d"', "[0]", "(1, 3)", "[b]", "len"]
_LONG = [
    *["a, b, c, 1", "a, 0, 1, 0", "a, b, c, b", "a, 1, 1, 1", "a, a, a, a, a", "a, a, 0, 1, 2", "a, 0, 0, b"],
    *[
        "a, a, a, 0",
        "a, 0, [0], 1.0",
        "a, 1.0, 0, 1, b",
        "a, b, b, 1.0, 1.0",
        '"d", a, 0, 2.0',
        *["a, b, c, 1, 1", "a, a > 0.3, 2.0", "a, a > 0.3, b", "a, 0, torch.tensor([0, 1, 2]), b"],
        *["a, 0, torch.tensor([0]), 2.0", "a, torch.tensor([0]), b[:1]", "a, (torch.tensor([0]),), b[:1]"],
    ],
    *["a, 2, 1, None, 0", "a, 2, None, None", "a, 1, 2, 2", "a, 0, [0], b", "a, [1, 1], [1, 1], [0, 0]"],
    *["a, b, c, 1, 1", "a, a > 0.3, 2.0", "a, a > 0.3, b", "a, 0, torch.tensor([0, 1, 2]), b"],
    *["a, 0, torch.tensor([0]), 2.0", "a, torch.tensor([0]), b[:1]", "a, (torch.tensor([0]),), b[:1]"],
]
_WRITING = [
    *["b, out=a", "b, c, out=a", "b, 0, out=a", "b, 1, out=a", "b, b, c, out=a", "b, 2.0, out=a", "2, out=a"],
    *[
        "a, inplace=True",
        "a, b, inplace=True",
        "a, 0.0, 1.0, inplace=True",
        "a, 0, b, out=a",
        "b, dim=0, out=a",
    ],
    *["b, a", "b, c, a", "a, b", "a, 0, 1", "a, 0, b", "a, b, c", "a, b > 0, c", "a, 1.0", "a, [0], [9.0]"],
]
_NAMED = ["a, dim=0", "a, key=twice", "a, copy=False", "a, axis=0", "a, p=1.0, training=False"]


def ways(in_method: bool) -> list[str]:
    """Argument lists in the order in which they are tried, simple ones first."""
    plain = ["a", *[f"a, {one}" for one in _ONE]]
    turned = [f"{one}, a" for one in _FIRST]
    turned += ["0, b, a", "b, c, a", "twice, a, 0", '"b", "c", a', "1, 2, a", "b, 0, a"]
    pairs = [f"a, {one}, {two}" for one in _TWO for two in _TWO]
    if not in_method:
        return [*plain, *turned, *_NAMED, *pairs, *_LONG, *_WRITING]
    kept = [way for way in [*plain, *pairs, *_LONG, *_NAMED, *_WRITING] if way.startswith("a")]
    return [*_after_the_receiver(kept), "0, out=b", "b, out=c", "out=b"]


def writing_ways(in_method: bool) -> list[str]:
    """What is tried in search of a call that changes its argument, where one that does not was found."""
    if not in_method:
        return _WRITING
    return _after_the_receiver([way for way in _WRITING if way.startswith("a")])


def _after_the_receiver(ways: list[str]) -> list[str]:
    return [way[1:].lstrip(", ") for way in ways]


def kinds_for(name: str) -> list[str]:
    """All kinds, in the order in which they are tried."""
    fitting = [prefix for prefix in PREFERRED if name.startswith(prefix)]
    first = [kind for prefix in sorted(fitting, reverse=True) for kind in PREFERRED[prefix]]
    return list(dict.fromkeys([*first, *KINDS]))
