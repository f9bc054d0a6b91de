# SPDX-License-Identifier: Apache-2.0
"""What CPython may run while a program is compiled: functions by name, what they may be given, and why.

Nothing else is run: what is not here is interpreted if it is written in Python, and refused if it is not.
These kinds of arguments are told apart, and a function gets no other:

    data          numbers, text and other values that cannot change, lists, tuples, dicts and sets of them,
                  arrays and tensors. No code of the user's can be reached through them.
    descriptions  data, and also classes, functions, modules, layers and forms of `typing`, of which only the
                  description is read.
    layers        data, and a layer whose class has no methods of its own where torch's are listed.
    trees         the same, and the layers inside of it are such.
    anything      any object: it is looked at from the outside, or only kept.

`ASKED` names those that ask about the process; the machine notes what they answer.
`WRITES` lists the functions that write to an array, with the place of that argument; the machine gives them a
copy, which becomes the array's new contents on the path that called.
"""

from __future__ import annotations

import binascii
import bisect
import builtins
import cmath
import collections
import contextlib
import copy
import dataclasses
import datetime
import enum
import fractions
import functools
import inspect
import json
import keyword
import logging
import math
import operator
import os.path
import re
import string
import struct
import sys
import textwrap
import types
import typing
import unicodedata
from typing import Any, NamedTuple

import numpy
import torch

from . import array_rules, process, pure_numpy, pure_torch


class Pure(NamedTuple):
    takes: str
    why: str


LISTED: dict[int, Pure] = {}
WRITES: dict[int, int] = {}
ASKED: dict[int, str] = {}
_kind: Any
_kept: list[Any] = []  # so that an address names one object for ever


def _list(owner: Any, names: str, takes: str, why: str) -> None:
    for name in names.split():
        found = (
            inspect.getattr_static(owner, name, None)
            if isinstance(owner, type)
            else getattr(owner, name, None)
        )
        function = found.__func__ if isinstance(found, staticmethod) else found
        if function is None:
            continue  # of another version
        _kept.append(function)
        LISTED[id(function)] = Pure(takes, why)


def _list_writes(owner: Any, names: str, place: int) -> None:
    for name in names.split():
        function = inspect.getattr_static(owner, name) if isinstance(owner, type) else getattr(owner, name)
        _kept.append(function)
        WRITES[id(function)] = place


def _methods(kind: type) -> str:
    """Every method that the type itself defines in C. The hash of what is no number is another one in another
    process."""
    in_c = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
    names = (name for name, found in vars(kind).items() if isinstance(found, (*in_c, staticmethod)))
    return " ".join(
        name
        for name in names
        if name not in ("__new__", "__init__", "__setattr__", "__delattr__", "__hash__")
    )


# ---- builtins

_VALUE = "its result follows from the values of its arguments"
_OUTSIDE = "it looks at an object from the outside"
_IMMUTABLE = "an immutable value has no method that changes it"
_READS = "it reads the container and the elements"

_list(
    builtins,
    "abs all any ascii bin chr divmod format hash hex len max min oct ord pow repr round sorted sum",
    "data",
    _VALUE,
)
_list(builtins, "bool bytes complex float int str range slice", "data", _VALUE)
_list(builtins, "dict frozenset list set tuple", "data", "it makes a new container")
_list(builtins, "callable issubclass isinstance", "descriptions", _OUTSIDE)
_list(logging, "getLogger", "data", "it finds a logger, whose messages are dropped; a new one has no effect")
_list(builtins, "object property staticmethod classmethod", "anything", "it keeps its argument and no more")
for _kind in (str, bytes, int, float, bool, complex, tuple, frozenset, range, slice, type(None), type(...)):
    _list(_kind, _methods(_kind), "data", _IMMUTABLE)
for _kind in (int, float, complex):
    _list(_kind, "__hash__", "data", _VALUE)
_list(object, "__sizeof__", "descriptions", _OUTSIDE)
_list(
    list,
    "index count copy __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __repr__ __len__ __contains__ __getitem__ "
    "__add__ __mul__ __rmul__ __class_getitem__",
    "data",
    _READS,
)
_list(
    dict,
    "get copy __eq__ __ne__ __repr__ __len__ __contains__ __getitem__ __or__ __ror__ fromkeys "
    "__class_getitem__",
    "data",
    _READS,
)
_list(
    set,
    "copy difference intersection isdisjoint issubset issuperset symmetric_difference union __eq__ __ne__ "
    "__lt__ __le__ __gt__ __ge__ __and__ __or__ __sub__ __xor__ __repr__ __len__ __contains__",
    "data",
    _READS,
)
_list(
    types.MappingProxyType, "get copy keys values items __getitem__ __len__ __contains__", "anything", _READS
)
_list(type, "__instancecheck__ __subclasscheck__ mro __or__ __ror__", "descriptions", _OUTSIDE)
_list(type, "__eq__ __ne__ __repr__", "descriptions", _OUTSIDE)
_list(type, "__subclasses__", "descriptions", "classes are made when modules are imported")
_list(BaseException, "__str__ __repr__", "data", "it shows the arguments")

# ---- the standard library

_list(
    operator,
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge neg pos inv "
    "invert abs not_ truth contains getitem concat countOf index indexOf length_hint",
    "data",
    _VALUE,
)
_list(operator, "is_ is_not", "anything", _OUTSIDE)
_list(operator, "attrgetter itemgetter methodcaller", "data", "it keeps its arguments")
for _kind in (operator.attrgetter, operator.itemgetter, operator.methodcaller):
    _list(_kind, "__reduce__", "anything", "it tells the arguments that were kept")
_list(
    math,
    "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist erf erfc exp "
    "exp2 expm1 fabs factorial floor fma fmod frexp fsum gamma gcd hypot isclose isfinite isinf isnan "
    "isqrt lcm ldexp lgamma log log10 log1p log2 modf nextafter perm pow prod radians remainder sin "
    "sinh sqrt sumprod tan tanh trunc ulp",
    "data",
    "arithmetic",
)
_list(
    cmath,
    "acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan log log10 phase polar "
    "rect sin sinh sqrt tan tanh",
    "data",
    "arithmetic",
)
_list(bisect, "bisect_left bisect_right", "data", _READS)
_list(struct, "pack unpack unpack_from calcsize Struct", "data", _VALUE)
_list(struct.Struct, "pack unpack unpack_from", "data", _VALUE)
_list(binascii, "crc32 hexlify unhexlify a2b_base64 b2a_base64 a2b_hex b2a_hex crc_hqx", "data", _VALUE)
_list(
    re,
    "compile match fullmatch search findall finditer split sub subn escape",
    "data",
    "texts in, texts out; what it remembers is not to be seen",
)
_list(re.Pattern, _methods(re.Pattern), "data", _IMMUTABLE)
_list(re.Match, _methods(re.Match), "data", _IMMUTABLE)
_list(textwrap, "dedent indent fill wrap shorten", "data", _VALUE)
_list(string, "capwords", "data", _VALUE)
_list(keyword, "iskeyword issoftkeyword", "data", _VALUE)
_list(unicodedata, "category combining decimal digit name normalize numeric lookup", "data", _VALUE)
_list(json, "dumps loads", "data", _VALUE)
_list(
    os.path,
    "join split splitext basename dirname normpath isabs commonprefix normcase",
    "data",
    "it works on the text of a path and asks no disk",
)
for _kind in (datetime.date, datetime.time, datetime.datetime, datetime.timedelta, datetime.timezone):
    _clock = {"now", "utcnow", "today", "fromtimestamp", "utcfromtimestamp", "astimezone", "timestamp"}
    _list(_kind, " ".join(set(_methods(_kind).split()) - _clock), "data", _IMMUTABLE)
_list(datetime, "date time datetime timedelta timezone", "data", "it makes a value of numbers")
_list(fractions, "Fraction", "data", "it makes a value of numbers")
_list(
    fractions.Fraction,
    "__new__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ "
    "__rfloordiv__ __mod__ __rmod__ __divmod__ __pow__ __rpow__ __neg__ __pos__ __abs__ __int__ __trunc__ "
    "__floor__ __ceil__ __round__ __hash__ __eq__ __lt__ __gt__ __le__ __ge__ __bool__ __repr__ __str__ "
    "limit_denominator as_integer_ratio from_float from_decimal",
    "data",
    _IMMUTABLE,
)

# ---- what describes code

_DESCRIBES = "it reads what a class, function or type form says of itself"
_list(
    inspect,
    "isclass isfunction ismethod isbuiltin isroutine isabstract ismodule isgeneratorfunction "
    "iscoroutinefunction isgenerator iscoroutine isdatadescriptor ismethoddescriptor signature "
    "getfullargspec getmro unwrap",
    "descriptions",
    _DESCRIBES,
)
_list(inspect.Signature, "bind bind_partial __eq__ __str__", "descriptions", _DESCRIBES)
_list(inspect.Parameter, "__eq__ __str__", "descriptions", _DESCRIBES)
_list(
    typing,
    "get_origin get_args get_type_hints is_typeddict TypeVar NewType ForwardRef NamedTuple overload final "
    "runtime_checkable no_type_check",
    "descriptions",
    _DESCRIBES,
)
_list(types, "GenericAlias MappingProxyType", "descriptions", "it keeps its argument and no more")
_list(types.GenericAlias, _methods(types.GenericAlias), "descriptions", _DESCRIBES)
_list(types.UnionType, _methods(types.UnionType), "descriptions", _DESCRIBES)
_list(dataclasses, "fields is_dataclass", "descriptions", _DESCRIBES)
_list(functools, "partial", "anything", "it keeps its arguments and no more")
_list(contextlib, "nullcontext", "anything", "it keeps its argument and no more")
_list(copy, "copy deepcopy", "data", "it makes a new container")
_list(
    enum.EnumMeta,
    "__call__ __contains__ __getitem__ __iter__ __len__ __reversed__ __bool__ __members__",
    "descriptions",
    "the members of an enumeration are made with the class",
)
_list(
    enum.Enum,
    "__eq__ __ne__ __repr__ __str__ __format__ __reduce_ex__ __dir__",
    "descriptions",
    _IMMUTABLE,
)
_list(
    enum.Flag,
    "__or__ __and__ __xor__ __invert__ __contains__ __bool__ __iter__ __len__",
    "descriptions",
    _IMMUTABLE,
)
_list(collections.deque, "__len__ __contains__ __getitem__ copy count index", "data", _READS)
_list(collections.OrderedDict, "__eq__ __ne__ __repr__ copy", "data", _READS)

# ---- torch and numpy

_SPEC = "it describes a dtype, a device or a shape"
_list(torch, "Size device dtype finfo iinfo layout memory_format", "data", _SPEC)
for _kind in (torch.Size, torch.device, torch.dtype, torch.finfo, torch.iinfo):
    _list(_kind, _methods(_kind), "data", _IMMUTABLE)
for _name, _names, _why in pure_numpy.FUNCTIONS:
    _list(operator.attrgetter(_name)(numpy) if _name else numpy, _names, "data", _why)
_list(array_rules, "torch_dtype numpy_dtype common_dtype fits", "descriptions", "it asks numpy for dtypes")
for _name, _names, _place in pure_numpy.WRITES:
    _list_writes(operator.attrgetter(_name)(numpy) if _name else numpy, _names, _place)

# ---- questions about the process

for _questions, _why in (
    (process.CONSTANTS, "its answer stays the same while the process lives"),
    (process.SETTINGS, "every call asks again"),
):
    for _question, _name in _questions.items():
        for _asked in (_question, inspect.unwrap(_question)):  # the machine looks past caches
            _kept.append(_asked)
            LISTED[id(_asked)] = Pure("data", _why)
            ASKED[id(_asked)] = _name

# ---- layers

_list(
    torch.nn, pure_torch.PARAMETERLESS_LAYERS, "data", "it makes a layer that holds nothing but its arguments"
)
_list(torch.nn, pure_torch.NORMALIZATIONS, "data", "the machine looks whether the layer has parameters")
_list(
    torch.nn, "Sequential ModuleList ModuleDict", "descriptions", "it makes a layer that holds the given ones"
)
_TABLES = "it reads the tables of the layer"
_MODULE_READS = """parameters named_parameters buffers named_buffers children named_children modules
named_modules get_parameter get_buffer get_submodule state_dict extra_repr _get_name __repr__ __dir__
_named_members"""
_CONTAINER_READS = """__len__ __getitem__ __iter__ __contains__ keys values items get __reversed__
_get_abs_string_index __add__ __dir__"""
_list(torch.nn.Module, _MODULE_READS, "trees", _TABLES)
for _kind in pure_torch.CONTAINERS:
    _list(
        _kind, " ".join(name for name in _CONTAINER_READS.split() if name in vars(_kind)), "layers", _TABLES
    )
_plain_classes: dict[type, bool] = {}


def _is_plain_class(kind: type) -> bool:
    """Torch's own methods read it."""
    known = _plain_classes.get(kind)
    if known is None:
        names = {*_MODULE_READS.split(), *_CONTAINER_READS.split(), "__getattr__", "__getattribute__"}
        found = [inspect.getattr_static(kind, name, None) for name in names]
        own = [method for method in found if isinstance(method, types.FunctionType)]
        known = all(method.__module__.split(".")[0] == "torch" for method in own)
        _plain_classes[kind] = known
    return known


def reads_plainly(module: Any, whole: bool) -> bool:
    """The layer, and with `whole` each one inside of it, has no methods where torch's are listed."""
    if not isinstance(module, torch.nn.Module):
        return False
    layers = torch.nn.Module.modules(module) if whole and _is_plain_class(type(module)) else [module]
    return all(_is_plain_class(type(layer)) for layer in layers)


def copied(value: Any) -> Any:
    return copy.deepcopy(value)


_list(sys.modules[__name__], "copied", "anything", "copies_plainly says of what")
_COPIED_AS_THEY_ARE = (
    *(int, float, complex, str, bytes, range, slice, type(None), enum.Enum),
    *(torch.Tensor, torch.dtype, torch.device, torch.Size, numpy.ndarray, numpy.generic, numpy.dtype),
)
_COPY_HOOKS = (
    "__deepcopy__ __copy__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __new__ __getattribute__"
)


def _copy_hooks(value: Any) -> list[Any]:
    """Methods of the user's that copying would run; torch's and those of enumerations are known."""
    hooks = [inspect.getattr_static(type(value), name, None) for name in _COPY_HOOKS.split()]
    plain = [hook.__func__ if isinstance(hook, staticmethod) else hook for hook in hooks]
    own = [hook for hook in plain if isinstance(hook, types.FunctionType)]
    return [hook for hook in own if hook.__module__.split(".")[0] not in ("torch", "enum")]


def copies_plainly(value: Any, depth: int = 0) -> bool:
    """Copying it runs no code of the user's: layers and objects of tensors, data and functions."""
    if depth > 100:
        return False
    if isinstance(value, (type, types.FunctionType)):
        return True
    if isinstance(value, _COPIED_AS_THEY_ARE):
        attributes = {} if isinstance(value, enum.Enum) else getattr(value, "__dict__", {})
        return not _copy_hooks(value) and copies_plainly(attributes, depth + 1)
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        items = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        plain = type(value).__module__ in ("builtins", "collections")
        return plain and all(copies_plainly(item, depth + 1) for item in items)
    if not hasattr(value, "__dict__") or _copy_hooks(value):
        return False
    return type(value).__flags__ & _HEAP_TYPE != 0 and copies_plainly(vars(value), depth + 1)


_HEAP_TYPE = 1 << 9  # of classes that are written in Python
