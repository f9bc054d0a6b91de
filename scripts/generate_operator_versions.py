# SPDX-License-Identifier: Apache-2.0
"""Writes the table of ONNX operator versions (src/hcfg/operator_versions.h) from the onnx wheel.

One row per version of each operator: domain, name, first operator set, whether this version only
extends the one before it (more element types, new optional attributes, inputs or outputs), and what
is new in it. An operation that uses nothing new can be written as the older version, which is how
graphs are handed to backends that know only older operator sets.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import onnx
from onnx import defs


def port(parameter: defs.OpSchema.FormalParameter) -> tuple[object, ...]:
    return (parameter.option, parameter.is_homogeneous)


def attribute_text(attribute: defs.OpSchema.Attribute) -> tuple[object, ...]:
    return (str(attribute.type), attribute.required, attribute.default_value.SerializeToString())


def starts_with(longer: list[object], shorter: list[object]) -> bool:
    return longer[: len(shorter)] == shorter


def extends(new: defs.OpSchema, old: defs.OpSchema) -> bool:
    """Does every use of `old` mean the same under `new`, as far as the schemas can tell?"""
    if not starts_with([port(p) for p in new.inputs], [port(p) for p in old.inputs]):
        return False
    if not starts_with([port(p) for p in new.outputs], [port(p) for p in old.outputs]):
        return False
    if new.min_input != old.min_input or new.min_output != old.min_output:
        return False
    for name, attribute in old.attributes.items():
        if name not in new.attributes or attribute_text(new.attributes[name]) != attribute_text(attribute):
            return False
    return not any(new.attributes[name].required for name in set(new.attributes) - set(old.attributes))


def row(schema: defs.OpSchema, before: defs.OpSchema | None) -> str:
    compatible = before is not None and extends(schema, before)
    fresh = sorted(set(schema.attributes) - set(before.attributes)) if compatible else []
    inputs, outputs = (before.max_input, before.max_output) if compatible else (0, 0)
    flag = str(compatible).lower()
    return (
        f'    {{"{schema.domain}", "{schema.name}", {schema.since_version}, {flag}, '
        f'"{" ".join(fresh)}", {inputs}, {outputs}}},'
    )


def main(target: Path) -> None:
    versions: dict[tuple[str, str], list[defs.OpSchema]] = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        versions[schema.domain, schema.name].append(schema)
    lines = [
        f"// Made from onnx {onnx.__version__} by scripts/generate_operator_versions.py.",
        f"inline constexpr std::int64_t kNewestOpset = {defs.onnx_opset_version()};",
        "inline constexpr OperatorVersion kOperatorVersions[] = {",
    ]
    for _, schemas in sorted(versions.items()):
        schemas.sort(key=lambda schema: schema.since_version)
        pairs = zip([None, *schemas], schemas, strict=False)
        lines.extend(row(schema, before) for before, schema in pairs)
    lines.append("};")
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
