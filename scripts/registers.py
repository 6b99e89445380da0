#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns rtl/qsm_regs.rdl into rtl/qsm_regs_pkg.sv, c_model/qsm_regs.h and docs/registers.md below a given folder.

usage: registers.py RDL OUTPUT_ROOT
"""

import pathlib
import sys
from dataclasses import dataclass, field

from systemrdl import RDLCompiler
from systemrdl.node import RegfileNode, RegNode

SOURCE = "rtl/qsm_regs.rdl"


@dataclass
class Group:
    """Registers that share a base: the GPU's own, or those of one array of register files."""

    name: str  # REG for the GPU's own
    title: str
    base: int = 0
    stride: int = 0
    count: int = 1
    registers: list = field(default_factory=list)


def read_map(path):
    """The groups of the map, the GPU's own first."""
    compiler = RDLCompiler()
    compiler.compile_file(path)
    top = compiler.elaborate().top
    groups = [Group("REG", "GPU registers")]
    for node in top.children(unroll=False):
        if isinstance(node, RegNode):
            groups[0].registers.append(node)
        elif isinstance(node, RegfileNode):
            groups.append(Group(node.inst_name, node.get_property("name"), node.raw_address_offset, node.array_stride,
                                node.array_dimensions[0], list(node.children())))
    return groups


def bit_fields(reg):
    """Fields of a register that is more than one plain value."""
    fields = list(reg.fields())
    return [] if len(fields) == 1 and fields[0].inst_name == "value" else fields


def camel(*names):
    return "".join(part.capitalize() for name in names for part in name.lower().split("_"))


def index(reg):
    """What is added to the address of an array's element k."""
    return f" + {reg.array_stride} * k" if reg.is_array else ""


def elements(reg):
    return f"  //{index(reg)}" if reg.is_array else ""


def c_header(groups):
    out = ["// SPDX-License-Identifier: Apache-2.0",
           f"// Generated from {SOURCE} by `make registers`; do not edit. Meaning: docs/registers.md.",
           "#ifndef QSM_REGS_H", "#define QSM_REGS_H", ""]
    for group in groups:
        prefix = f"QSM_{group.name}_"
        if group.stride:
            out += [f"// {group.title}: {prefix}BASE + k * {prefix}STRIDE + register",
                    f"#define {prefix + 'BASE':<36} 0x{group.base:04x}u",
                    f"#define {prefix + 'STRIDE':<36} 0x{group.stride:04x}u"]
        else:
            out.append(f"// {group.title}: addresses")
        out += [f"#define {prefix + reg.inst_name:<36} 0x{reg.raw_address_offset:04x}u{elements(reg)}" for reg in group.registers]
        out += ["", f"// {group.title}: bit fields"]
        for reg in group.registers:
            for part in bit_fields(reg):
                name = f"{prefix}{reg.inst_name}_{part.inst_name.upper()}"
                mask = ((1 << part.width) - 1) << part.low
                out.append(f"#define {name + '_MASK':<36} 0x{mask:08x}u")
                out.append(f"#define {name + '_SHIFT':<36} {part.low}")
        out.append("")
    return "\n".join(out + ["#endif", ""])


def sv_package(groups):
    out = ["// SPDX-License-Identifier: Apache-2.0",
           f"// Generated from {SOURCE} by `make registers`; do not edit. Meaning: docs/registers.md.",
           "package qsm_regs_pkg;"]
    for group in groups:
        if group.stride:
            out += [f"  // {group.title}: {camel(group.name)}Base + k * {camel(group.name)}Stride + register.",
                    f"  localparam logic [15:0] {camel(group.name)}Base = 16'h{group.base:04X};",
                    f"  localparam logic [15:0] {camel(group.name)}Stride = 16'h{group.stride:04X};"]
        else:
            out.append(f"  // {group.title}.")
        for reg in group.registers:
            out.append(f"  localparam logic [15:0] {camel(group.name, reg.inst_name)} = 16'h{reg.raw_address_offset:04X};{elements(reg)}")
        out.append("")
    out[-1] = "endpackage"
    return "\n".join(out + [""])


def access(reg):
    fields = list(reg.fields())
    if any(part.get_property("onwrite") for part in fields):
        return "rw1c"
    readable, writable = (any(getattr(part, what) for part in fields) for what in ("is_sw_readable", "is_sw_writable"))
    name = {(True, True): "rw", (True, False): "ro", (False, True): "wo"}[readable, writable]
    return name + (" *idle*" if reg.get_property("idle", default=False) else "")


def reset(reg):
    values = [part.get_property("reset") for part in reg.fields()]
    if None in values:
        return ""
    value = sum(value << part.low for value, part in zip(values, reg.fields()))
    return str(value) if value < 65536 else f"0x{value:X}"


def describe(reg):
    parts = [f"[{part.high}:{part.low}] {part.inst_name}" + (f": {text}" if (text := part.get_property("desc")) else "")
             for part in bit_fields(reg)]
    return ". ".join([reg.get_property("desc", default="")] + ([", ".join(parts)] if parts else []))


def markdown(groups):
    out = ["# Registers", "",
           f"Generated from `{SOURCE}` by `make registers`; do not edit. Rules of the port: `control_port.md`.",
           "A write outside the range, or to an *idle* register of a slot whose launch runs, is refused (err)."]
    for group in groups:
        where = f": 0x{group.base:04X} + 0x{group.stride:X} * k" if group.stride else ""
        out += ["", f"## {group.title}{where}", "", "| address | name | access | reset | range | content |",
                "| --- | --- | --- | --- | --- | --- |"]
        for reg in group.registers:
            allowed = reg.get_property("range", default="")
            out.append(f"| 0x{reg.raw_address_offset:04X}{index(reg)} | {reg.inst_name} | {access(reg)} | {reset(reg)} | {allowed} | {describe(reg)} |")
    return "\n".join(out + [""])


def main():
    rdl, root = sys.argv[1:]
    groups = read_map(rdl)
    for path, make in (("rtl/qsm_regs_pkg.sv", sv_package), ("c_model/qsm_regs.h", c_header), ("docs/registers.md", markdown)):
        target = pathlib.Path(root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(make(groups), encoding="utf-8")


if __name__ == "__main__":
    main()
