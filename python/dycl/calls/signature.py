# SPDX-License-Identifier: Apache-2.0
"""Takes the arguments of a call apart like those of the example, and says what does not fit."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from dycl.calls.attributes import attribute_names
from dycl.calls.frozen import Frozen
from dycl.calls.layouts import Matters
from dycl.calls.settings import check_settings_of_torch
from dycl.calls.ways import Way, check_way
from dycl.errors import UsageError
from dycl.names import loaded, name_of

_MISSING = object()
_Node = dict[str, Any]


class Signature:
    """How the example was called. Nodes are those of the machine (src/partial_eval/border/inputs.h), with
    frozen values as texts; a class is the class itself, or its name where a package was loaded."""

    def __init__(
        self,
        parameters: list[dict[str, Any]],
        matters: Matters,
        frozen: Frozen,
        draws: list[dict[str, Any]],
        way: Way | None,
        settings: dict[str, str],
    ) -> None:
        self._parameters = parameters
        for number, node in enumerate(
            node for parameter in parameters if parameter["given"] for node in _all_nodes(parameter["tree"])
        ):
            node["number"] = number
        self.draws = draws  # the inputs that are base draws: "input", "kind", "file" and "line" of each
        self._matters = matters
        self._frozen = frozen
        self._way = way
        self._settings = settings

    @staticmethod
    def of(schema: dict[str, Any]) -> Signature:
        """Makes the signature from `schema`, which the rewriting made of the example."""
        frozen = Frozen()
        parameters = [
            {**parameter, "tree": _with_texts(parameter["tree"], frozen)}
            if "tree" in parameter
            else parameter
            for parameter in schema["parameters"]
        ]
        way, settings = schema.get("way"), schema.get("settings", {})
        return Signature(parameters, Matters.of(schema), frozen, schema["draws"], way, settings)

    @staticmethod
    def read(text: str) -> Signature:
        """Reads signature.json of a package, which the package reader has checked."""
        document = json.loads(text)
        parameters = []
        for stored in document["parameters"]:
            parameter = {key: stored[key] for key in ("name", "kind", "given")}
            nodes = iter(stored["nodes"])
            parameters.append({**parameter, "tree": _nested(nodes)} if stored["nodes"] else parameter)
        draws, way, settings = document.get("draws", []), document.get("way"), document.get("settings", {})
        return Signature(parameters, Matters.of(document), Frozen(), draws, way, settings)

    def write(self) -> str:
        """Writes signature.json (docs/package.md)."""
        parameters = [
            {
                "name": parameter["name"],
                "kind": parameter["kind"],
                "given": parameter["given"],
                "nodes": list(_flat(parameter["tree"])) if "tree" in parameter else [],
            }
            for parameter in self._parameters
        ]
        draws = {"draws": self.draws} if self.draws else {}
        way = {"way": self._way} if self._way is not None else {}
        settings = {"settings": self._settings} if self._settings else {}
        matters = self._matters.stored()
        document = {"version": 1, **matters, **way, **settings, **draws, "parameters": parameters}
        return json.dumps(document, indent=0, sort_keys=True) + "\n"

    def tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Returns the program's inputs, in order, without those that are draws."""
        return self.take(args, kwargs)[0]

    def take(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[int, Any]]:
        """Returns the inputs, and all parts of the arguments by number (src/partial_eval/border/inputs.h)."""
        check_way(self._way, args, kwargs)
        check_settings_of_torch(self._settings)
        found: dict[int, tuple[Any, _Node]] = {}
        parts: dict[int, Any] = {}
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
                if parameter["given"] and not _is_not_stored(parameter["tree"]):
                    raise UsageError(f"the argument '{name}' is missing", code="call.missing")
            elif kind in ("star", "double_star") and not value and not parameter["given"]:
                continue
            elif parameter["given"]:
                self._flatten(parameter["tree"], value, found, objects, parts)
            else:
                self._check_default(parameter, value)
        if position < len(args) or rest:
            extra = f"'{next(iter(rest))}'" if rest else f"number {position + 1}"
            raise UsageError(f"the program was compiled without an argument {extra}", code="call.extra")
        for tensor, node in found.values():
            self._matters.check(tensor, node)
        if self._matters.identity_matters:
            self._check_identity(parts)
        return [found[number][0] for number in sorted(found)], parts

    def _check_identity(self, parts: dict[int, Any]) -> None:
        """What the program writes to one list or dict must not be seen in another."""
        paths: dict[int, str] = {}
        for parameter in self._parameters:
            for node in _all_nodes(parameter["tree"]) if parameter["given"] else ():
                if node["kind"] not in ("list", "dict", "object") or node["number"] not in parts:
                    continue
                other = paths.setdefault(id(parts[node["number"]]), node["path"])
                if other != node["path"]:
                    raise UsageError(
                        f"'{node['path']}' is the same object as '{other}', which it was not in the example",
                        code="call.identity",
                        hint="the program writes to its arguments: pass two objects, or compile for one",
                    )

    def _check_default(self, parameter: dict[str, Any], value: Any) -> None:
        tree = parameter.get("tree")
        if tree is None:
            raise _frozen(parameter["name"], "its default", value)
        self._check_constant(tree, value, f"{tree['shown']}, its default")

    def _check_constant(self, node: _Node, value: Any, shown: str) -> None:
        if _is_not_stored(node):
            raise UsageError(
                f"compiled for {node['path']}={shown}, which a package cannot hold and a call cannot change",
                code="call.not_stored",
                hint="leave the argument out: the program then uses the value of the example",
            )
        if not self._frozen.same(node["text"], value):
            raise _frozen(node["path"], shown, value)

    def _flatten(
        self,
        node: _Node,
        value: Any,
        found: dict[int, tuple[Any, _Node]],
        objects: dict[str, Any],
        parts: dict[int, Any],
    ) -> None:
        kind, path = node["kind"], node["path"]
        objects[path] = value
        parts[node["number"]] = value
        if kind == "tensor":
            found[node["input"]] = (value, node)
        elif kind == "same":
            if objects[node["as"]] is not value:
                raise UsageError(
                    f"'{path}' must be the same object as '{node['as']}', as it was in the example",
                    code="call.identity",
                )
        elif kind == "constant":
            self._check_constant(node, value, node["shown"])
        else:
            for child, item in zip(node["items"], self._children(node, value), strict=True):
                self._flatten(child, item, found, objects, parts)
            if CONTENTS in node.get("names", ()):  # which were copied: the object itself holds them
                parts[node["items"][node["names"].index(CONTENTS)]["number"]] = value

    def _children(self, node: _Node, value: Any) -> list[Any]:
        """Returns the parts of `value`, which must have the structure of the example."""
        kind, path, count = node["kind"], node["path"], len(node["items"])
        wanted = node["class"]
        is_wanted = type(value) is wanted if isinstance(wanted, type) else _is_named(wanted, type(value))
        if kind in ("list", "tuple", "named_tuple"):
            if not is_wanted or len(value) != count:
                raise _frozen(path, f"a {_short(wanted)} of {count}", value)
            return list(value)
        if kind == "dict":
            if not is_wanted:
                raise _frozen(path, f"a {_short(wanted)} with the keys {node['shown']}", value)
            keys = [self._frozen.text(key)[0] for key in value]
            if keys != node["keys"]:
                difference = _difference(
                    *([_key_in(text) for text in texts] for texts in (node["keys"], keys))
                )
                raise _other_names(path, "keys", node["shown"], list(value), difference)
            return list(value.values())
        if not is_wanted:
            raise _frozen(path, f"a {_short(wanted)}", value)
        attributes = [name for name in node["names"] if name != CONTENTS]
        if (given := attribute_names(value)) != attributes:
            raise _other_names(path, "attributes", attributes, given, _difference(attributes, given))
        return [_contents(value) if name == CONTENTS else getattr(value, name) for name in node["names"]]


def _all_nodes(node: _Node) -> Iterator[_Node]:
    yield node
    for child in node.get("items", ()):
        yield from _all_nodes(child)


def _is_not_stored(node: _Node) -> bool:
    return node["kind"] == "constant" and node["text"] is None


CONTENTS = "<contents>"  # in place of an attribute: what an object holds whose class derives from dict


def _contents(value: Any) -> Any:
    """As a plain dict: nothing of the class is called."""
    plain = OrderedDict if isinstance(value, OrderedDict) else dict
    return plain(dict.items(value))


_OF_TENSORS = ("input", "type", "stride", "offset", "requires_grad", "parameter")
_PLAIN = {"list": list, "tuple": tuple, "dict": dict}


def _with_texts(node: _Node, frozen: Frozen) -> _Node:
    kind = node["kind"]
    made = {"kind": kind, "path": _printable(node["path"])}
    if kind == "tensor":
        return {**made, **{key: node[key] for key in _OF_TENSORS}}
    if kind == "same":
        return {**made, "as": _printable(node["as"])}
    if kind == "constant":
        text, stored = frozen.text(node["value"])
        return {**made, "text": text, "stored": stored, "shown": _shown(node["value"])}
    items = node["items"]
    made["class"] = node.get("class") or _PLAIN[kind]
    if kind == "dict":
        made["keys"] = [frozen.text(key)[0] for key, _ in items]
        made["shown"] = _shown([key for key, _ in items])
    elif kind == "object":
        made["names"] = [name for name, _ in items]
    children = items if kind in ("list", "tuple", "named_tuple") else [child for _, child in items]
    return {**made, "items": [_with_texts(child, frozen) for child in children]}


def _flat(node: _Node) -> Iterator[_Node]:
    """Returns a node as it is stored, followed by its children."""
    left_out = ("items", "class", "stored", "text", "number")
    stored = {key: value for key, value in node.items() if key not in left_out}
    if node["kind"] == "constant" and node.get("stored", node["text"] is not None):
        stored["text"] = node["text"]
    children = node.get("items", [])
    if "class" in node and node["kind"] not in ("list", "tuple"):
        stored["class"] = node["class"] if isinstance(node["class"], str) else name_of(node["class"])
    if node["kind"] in ("list", "tuple", "named_tuple"):
        stored["count"] = len(children)
    yield stored
    for child in children:
        yield from _flat(child)


def _nested(nodes: Iterator[_Node]) -> _Node:
    node = next(nodes)
    kind = node["kind"]
    if kind == "constant":
        return {**node, "text": node.get("text")}
    if kind in ("tensor", "same"):
        return node
    count = node["count"] if "count" in node else len(node["keys"] if kind == "dict" else node["names"])
    made = {key: value for key, value in node.items() if key != "count"}
    made.setdefault("class", _PLAIN.get(kind))
    return {**made, "items": [_nested(nodes) for _ in range(count)]}


def _is_named(name: str, kind: type) -> bool:
    """Whether a class has the name in a package. Refuses a class that is not found under its name."""
    if name_of(kind) != name:
        return False
    if loaded(name) is not kind:
        raise UsageError(
            f"the program takes a {_short(name)}, but {name} is not the class of the given object",
            code="call.class",
            hint="define the class at the top of a module that can be imported",
        )
    return True


def _short(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind).rpartition(":")[2]


def _printable(path: str) -> str:
    """A key of a dict, which is part of a path, may be any text."""
    return path if path.isprintable() else path.encode("unicode_escape").decode()


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # it nests too deeply, or a class of the user's raises
        text = ""
    return text if 0 < len(text) < 80 and text.isprintable() else f"a {type(value).__name__}"


def _other_names(path: str, kind: str, compiled: Any, names: list[Any], difference: str) -> UsageError:
    return UsageError(
        f"compiled for {path} with the {kind} {compiled}; called with the {kind} {_shown(names)}: "
        + difference,
        code="call.frozen",
        hint=f"give the same {kind} in the same order, which a model can see; or compile again for these",
    )


def _difference(compiled: list[str], given: list[str]) -> str:
    missing = [name for name in compiled if name not in given]
    extra = [name for name in given if name not in compiled]
    said = [f"{', '.join(missing)} missing"] * bool(missing) + [f"{', '.join(extra)} too many"] * bool(extra)
    return "; ".join(said) or "the order differs"


def _key_in(text: str) -> str:
    """Returns a key as the model writes it, given its text (calls/frozen.py)."""
    form = json.loads(text)
    if not isinstance(form, list) or len(form) != 2 or not isinstance(form[1], str):
        return text
    return repr(form[1]) if form[0] == "str" else form[1]


def _frozen(path: str, compiled: str, value: Any) -> UsageError:
    return UsageError(
        f"compiled for {path}={compiled}; called with {_shown(value)}",
        code="call.frozen",
        hint="compile with an example that has this tensor"
        if hasattr(value, "dtype")
        else "what is not a tensor is fixed when the model is compiled: compile again for this value",
    )
