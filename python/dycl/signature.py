# SPDX-License-Identifier: Apache-2.0
"""Takes a call's arguments apart as the example's were, and says what does not fit."""

from __future__ import annotations

from typing import Any

from dycl.errors import UsageError

_MISSING = object()


class Signature:
    """How the example was called: `schema` is what the rewriting machine made of it."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._parameters: list[dict[str, Any]] = schema["parameters"]
        self._strides_matter: bool = schema.get("strides_matter", False)

    def tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The program's inputs, in order."""
        found: dict[int, tuple[Any, dict[str, Any]]] = {}
        objects: dict[str, Any] = {}
        rest = dict(kwargs)
        position = 0
        for parameter in self._parameters:
            kind, name = parameter["kind"], parameter["name"]
            if kind == "star":
                value: Any = tuple(args[position:])
                position = len(args)
            elif kind == "double_star":
                value, rest = rest, {}
            elif kind != "keyword_only" and position < len(args):
                value = args[position]
                position += 1
            elif kind != "positional_only" and name in rest:
                value = rest.pop(name)
            else:
                value = _MISSING
            if value is _MISSING:
                if parameter["given"]:
                    raise UsageError(f"the argument '{name}' is missing", code="call.missing")
            elif kind in ("star", "double_star") and not value and not parameter["given"]:
                continue
            elif parameter["given"]:
                _flatten(parameter["tree"], value, found, objects)
            else:
                _check_default(parameter, value)
        if position < len(args) or rest:
            extra = f"'{next(iter(rest))}'" if rest else f"number {position + 1}"
            raise UsageError(f"the program was compiled without an argument {extra}", code="call.extra")
        for tensor, node in found.values() if self._strides_matter else ():
            if tuple(tensor.stride()) != tuple(node["stride"]):
                compiled = f"a tensor with the strides {tuple(node['stride'])}"
                raise _frozen(node["path"], compiled, tuple(tensor.stride()))
        return [found[number][0] for number in sorted(found)]


def _check_default(parameter: dict[str, Any], value: Any) -> None:
    tree = parameter.get("tree")
    if tree is None or tree["kind"] != "constant" or not _same(tree["value"], value):
        known = tree is not None and tree["kind"] == "constant"
        shown = f"{tree['value']!r}, its default" if known and tree is not None else "its default"
        raise _frozen(parameter["name"], shown, value)


def _flatten(
    node: dict[str, Any],
    value: Any,
    found: dict[int, tuple[Any, dict[str, Any]]],
    objects: dict[str, Any],
) -> None:
    kind, path = node["kind"], node["path"]
    objects[path] = value
    if kind == "tensor":
        found[node["input"]] = (value, node)
    elif kind == "same":
        if objects[node["as"]] is not value:
            raise UsageError(
                f"'{path}' must be the same object as '{node['as']}', as it was in the example",
                code="call.identity",
            )
    elif kind == "constant":
        if not _same(node["value"], value):
            raise _frozen(path, repr(node["value"]), value)
    elif kind in ("list", "tuple", "named_tuple"):
        items = node["items"]
        wanted = {"list": list, "tuple": tuple}.get(kind) or node["class"]
        if not isinstance(value, wanted) or len(value) != len(items):
            raise _frozen(path, f"a {wanted.__name__} of {len(items)}", value)
        for child, item in zip(items, value, strict=True):
            _flatten(child, item, found, objects)
    elif kind == "dict":
        if not isinstance(value, dict) or list(value) != [key for key, _ in node["items"]]:
            raise _frozen(path, f"a dict with the keys {[key for key, _ in node['items']]}", value)
        for key, child in node["items"]:
            _flatten(child, value[key], found, objects)
    else:
        if type(value) is not node["class"]:
            raise _frozen(path, f"a {node['class'].__name__}", value)
        for name, child in node["items"]:
            _flatten(child, getattr(value, name), found, objects)


def _same(frozen: Any, value: Any) -> bool:
    if frozen is value:
        return True
    try:
        return type(frozen) is type(value) and (
            bool(frozen == value) or (frozen != frozen and value != value)
        )
    except (TypeError, ValueError, RuntimeError):
        return False


def _frozen(path: str, compiled: str, value: Any) -> UsageError:
    shown = repr(value) if len(repr(value)) < 80 else f"a {type(value).__name__}"
    return UsageError(
        f"compiled for {path}={compiled}; called with {shown}",
        code="call.frozen",
        hint="what is not a tensor is fixed when the model is compiled: compile again for this value",
    )
