#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns rtl/qsm_regs.rdl into the files of OUTPUTS below a given folder.

usage: registers.py RDL OUTPUT_ROOT
"""

import ast
import pathlib
import re
import sys
from dataclasses import dataclass, field

from systemrdl import RDLCompiler
from systemrdl.node import RegfileNode, RegNode

import enums

SOURCE = "rtl/qsm_regs.rdl"
LICENSE = "// SPDX-License-Identifier: Apache-2.0"
GENERATED = f"// Generated from {SOURCE} by `make registers`; do not edit. Meaning: docs/registers.md."
WORD = (1 << 32) - 1
RESERVED = {"stack"}  # Verilator takes it for a symbol of C++


# ---- expressions of ranges and constants ----


def number(text):
    """The value of an expression, None where it depends on the configuration."""
    tree = ast.parse(text.strip(), mode="eval")
    if any(isinstance(node, ast.Name) and node.id != "min" for node in ast.walk(tree)):
        return None
    return eval(compile(tree, text, "eval"), {"__builtins__": {}, "min": min})  # names are none but min


OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
SV_FUNCTIONS = {"min": "least_of({}, {})", "log2": "$clog2({})"}
C_FUNCTIONS = {"min": "({0} < {1} ? {0} : {1})", "log2": "qsm_lowest({})"}  # log2: of powers of two only


def expression(text, name, functions=None):
    """The expression in SystemVerilog or C; name(parameter) is a parameter there."""
    functions = functions or SV_FUNCTIONS

    def show(node):
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.Name):
            return name(node.id)
        if isinstance(node, ast.BinOp):
            return f"{show(node.left)} {OPERATORS[type(node.op)]} {show(node.right)}"
        if isinstance(node, ast.Call) and node.func.id in functions:
            return functions[node.func.id].format(*map(show, node.args))
        if isinstance(node, ast.Call):
            return f"{node.func.id}({', '.join(map(show, node.args))})"
        raise ValueError(f"{text}: not understood")

    return show(ast.parse(text.strip(), mode="eval").body)


def sv_number(text):
    """32 bits."""
    value = number(text)
    if value is None:
        return f"32'({expression(text, str)})"
    return f"32'd{value}" if value < 65536 else f"32'h{value:X}"


def c_number(text):
    value = number(text)
    if value is None:
        return "(" + expression(text, lambda name: "config->" + snake(name), C_FUNCTIONS) + ")"
    return f"{value}u" if value < 65536 else f"0x{value:x}u"


KEYS = {"NumCmd": "cmd_channels"}  # of parameters whose name in configs/ says more


def snake(name):
    return KEYS.get(name) or "".join(("_" if c.isupper() and i else "") + c.lower() for i, c in enumerate(name))


def camel(*names):
    return "".join(part.capitalize() for name in names for part in name.lower().split("_"))


# ---- the map ----


@dataclass
class Group:
    """Registers that share a base: the GPU's own, or those of one array of register files."""

    name: str  # REG for the GPU's own
    title: str
    base: int = 0
    stride: int = 0
    count: int = 1
    elements: str = None  # how many of them the configuration has
    only: str = None  # a parameter: they are there where it is not 0
    registers: list = field(default_factory=list)


class Part:
    """A field of a register."""

    def __init__(self, node):
        self.node = node
        self.name = node.inst_name
        self.low, self.high, self.width = node.low, node.high, node.width
        self.desc = node.get_property("desc")
        self.reset = node.get_property("reset")
        self.constant = node.get_property("constant", default=None)
        self.model = node.get_property("model", default=None)
        self.bits = node.get_property("bits", default=None)
        self.range = node.get_property("range", default=None)
        self.encode = node.get_property("encode", default=None)  # an enumeration instead of a range
        self.shows = None  # (member of sm_figures_t, what of it)
        self.enum = None  # that one as rtl/qsm_enums.rdl has it
        if self.encode and (self.range or self.bits):
            raise ValueError(f"{node.get_path()}: a range or bits beside an enumeration")

    @property
    def sv_enum(self):
        """The enumeration, where the RTL has its type."""
        return self.enum if self.enum and self.enum.prefix["sv"] else None

    @property
    def any_value(self):
        return self.range is None and self.enum is None

    def spans(self):
        """[(least, most)] as texts, of the values that a write may hold; None: all of the field's."""
        if self.enum:
            numbers = sorted(value.number for value in self.enum.values)
            starts = [i for i in numbers if i - 1 not in numbers]
            ends = [i for i in numbers if i + 1 not in numbers]
            return [(str(start), str(end)) for start, end in zip(starts, ends)]
        if self.range is None:
            return None
        pairs = [(item.split("..") * 2)[:2] for item in re.split(r",(?![^(]*\))", self.range)]
        return [(low.strip(), high.strip()) for low, high in pairs]

    def storage(self):
        """Number of bits that are kept, as a number or an expression of SystemVerilog."""
        if self.enum:
            return self.enum.width
        if self.bits:
            return sv_width(self.bits)
        if self.range is None:
            return self.width
        most = number(self.spans()[-1][1])
        return self.width_name if most is None else max(1, most.bit_length())

    @property
    def width_name(self):
        """Parameter of the package, where the width depends on the configuration."""
        names = (self.node.parent.inst_name,) + (() if self.name == "value" else (self.name,))
        group = self.node.parent.parent
        return camel("REG" if group.parent.inst_name is None or group.parent.parent is None else group.inst_name, *names) + "W"


class Register:
    def __init__(self, node):
        self.node = node
        self.name = node.inst_name
        self.lower = self.name.lower() + "_reg" * (self.name.lower() in RESERVED)
        self.offset = node.raw_address_offset
        self.is_array = node.is_array
        self.stride = node.array_stride if node.is_array else None
        self.fields = [Part(part) for part in node.fields()]
        self.elements = node.get_property("elements", default=None)
        self.set_figures(node.get_property("figure", default=None))
        flags = ("idle", "quiet", "tenant", "own", "apart", "sm")
        for name in flags:
            setattr(self, name, bool(node.get_property(name, default=False)))
        self.desc, self.refused, self.word_of, self.word, self.bits, self.model = (
            node.get_property(name, default=None) for name in ("desc", "refused", "word_of", "word", "bits", "model"))
        self.only = node.get_property("only", default=None)
        self.desc = self.desc or ""
        self.readable = any(part.node.is_sw_readable for part in self.fields)
        self.writable = any(part.node.is_sw_writable for part in self.fields)
        self.pulse = any(part.node.get_property("swmod") for part in self.fields)
        self.clears = any(part.node.get_property("onwrite") for part in self.fields)  # written 1s clear
        self.cleared = self.clears and not self.pulse  # and the bits are stored here
        self.constant = self.readable and all(part.constant is not None for part in self.fields)
        hw_reads = any(part.node.is_hw_readable for part in self.fields)
        self.stored = self.readable and self.writable and (hw_reads or self.cleared)
        self.kept = self.stored and not self.cleared  # a read returns what was written last
        self.given = self.readable and not self.stored and not self.constant and not self.apart
        self.given &= any(not part.shows for part in self.fields)  # a member of a struct of values

    @property
    def single(self):
        return len(self.fields) == 1 and self.fields[0].name == "value"

    @property
    def sm_figure(self):
        """Some of its bits are a figure of the selected SM."""
        return any(part.shows for part in self.fields)

    def set_figures(self, member):
        """What the fields show of the selected SM; member: of sm_figures_t, if it is all of the register."""
        for part in self.fields:
            of_field = part.node.get_property("figure", default=None)
            if member and of_field:
                raise ValueError(f"{part.node.get_path()}: a figure in a register that is one")
            if member:
                part.shows = (member, "" if self.single else f".{part.name}")
            elif of_field:
                part.shows = (of_field, "")
            if part.shows and part.node.is_sw_writable:
                raise ValueError(f"{part.node.get_path()}: a figure that is written")

    def reset(self):
        values = [part.reset for part in self.fields]
        return None if None in values else sum(value << part.low for value, part in zip(values, self.fields))


def read_map(path):
    """The groups of the map, the GPU's own first."""
    compiler = RDLCompiler()
    compiler.compile_file(path)
    by_name = {enum.name: enum for enum in enums.enums_of(compiler.elaborate("qsm_enums").top)}
    top = compiler.elaborate("qsm").top
    groups = [Group("REG", "GPU registers")]
    for node in top.children(unroll=False):
        if isinstance(node, RegNode):
            groups[0].registers.append(Register(node))
        elif isinstance(node, RegfileNode):
            groups.append(Group(node.inst_name, node.get_property("name"), node.raw_address_offset, node.array_stride,
                                node.array_dimensions[0], node.get_property("elements", default=None),
                                node.get_property("only", default=None), [Register(child) for child in node.children()]))
    for part in (part for group in groups for reg in group.registers for part in reg.fields if part.encode):
        part.enum = by_name[part.encode.type_name]
        if part.node.is_sw_writable and not part.enum.written:
            raise ValueError(f"{part.node.get_path()}: {SOURCE} writes it, {enums.SOURCE} does not say `written`")
    return groups


def plain(group):
    """Registers of the register file: all but those of arrays."""
    return [reg for reg in group.registers if not reg.is_array]


@dataclass
class Array:
    """Registers of the selected SM that there are several times, at first + stride * k."""

    group: Group
    registers: list
    first: int
    stride: int
    count: int
    elements: str

    @property
    def base(self):
        """Constant of the address of element 0."""
        return f"{self.group.name}_BASE" if self.group.stride else f"{self.group.name}_{self.registers[0].name}"


def sm_arrays(groups):
    """Those of figures of the selected SM, of registers and of register files."""
    found = [Array(group, group.registers, group.base, group.stride, group.count, group.elements)
             for group in groups if group.stride and any(reg.sm_figure for reg in group.registers)]
    found += [Array(group, [reg], reg.offset, reg.stride, reg.node.array_dimensions[0], reg.elements)
              for group in groups for reg in group.registers if reg.is_array]
    for array in found:
        size = array.stride * array.count
        if not array.elements or any(part.shows is None and not reg.given for reg in array.registers for part in reg.fields):
            raise ValueError(f"{array.base}: an array without `elements`, or with something that is no figure")
        if array.first % size or size & (size - 1):
            raise ValueError(f"{array.base}: not on a multiple of its size, or that is no power of two")
    return sorted(found, key=lambda array: array.first)


def bit_fields(reg):
    """Fields of a register that is more than one plain value."""
    return [] if reg.single else reg.fields


def index(reg):
    """What is added to the address of an array's element k."""
    return f" + {reg.stride} * k" if reg.is_array else ""


def elements(reg):
    return f"  //{index(reg)}" if reg.is_array else ""


def vectors(registers):
    """{name: [registers]} of those that are words of something wider."""
    out = {}
    for reg in registers:
        if reg.word_of:
            out.setdefault(reg.word_of, []).append(reg)
    return out


def once(registers):
    """Each plain register, and the first word of each wider one."""
    return [reg for reg in registers if not reg.word_of or reg.word == 0]


def wrap(first, items, separator=", ", indent="          ", last=""):
    """Lines of at most 100 columns."""
    lines, line = [], first
    for i, item in enumerate(items):
        piece = item + (separator.rstrip() if i + 1 < len(items) else last)
        if len(line) + 1 + len(piece) > 100 and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += ("" if line.endswith(" ") else " ") + piece
    return lines + [line.rstrip()]


# ---- host header ----


def c_header(groups):
    out = [LICENSE, GENERATED, "#ifndef QSM_REGS_H", "#define QSM_REGS_H", ""]
    for group in groups:
        prefix = f"QSM_{group.name}_"
        if group.stride:
            out += [f"// {group.title}: {prefix}BASE + k * {prefix}STRIDE + register",
                    f"#define {prefix + 'BASE':<36} 0x{group.base:04x}u",
                    f"#define {prefix + 'STRIDE':<36} 0x{group.stride:04x}u"]
        else:
            out.append(f"// {group.title}: addresses")
        out += [f"#define {prefix + reg.name:<36} 0x{reg.offset:04x}u{elements(reg)}" for reg in group.registers]
        out += ["", f"// {group.title}: bit fields"]
        for reg in group.registers:
            for part in bit_fields(reg):
                name = f"{prefix}{reg.name}_{part.name.upper()}"
                mask = ((1 << part.width) - 1) << part.low
                out.append(f"#define {name + '_MASK':<36} 0x{mask:08x}u")
                out.append(f"#define {name + '_SHIFT':<36} {part.low}")
        out.append("")
    return "\n".join(out + ["#endif", ""])


# ---- SystemVerilog ----


def sv_width(bits):
    value = number(bits)
    return expression(bits, str) if value is None else value


def sv_dim(width):
    if isinstance(width, int):
        return "" if width == 1 else f"[{width - 1}:0] "
    return f"[{width}-1:0] " if width.isidentifier() or width.endswith(")") else f"[({width})-1:0] "


def sv_cast(width, value):
    return f"{width}'({value})"


def sv_member(part, width, name):
    """Declaration of a member of a struct."""
    kind = f"{part.sv_enum.name}_e " if part.sv_enum else f"logic {sv_dim(width)}"
    return f"{kind}{name};"


def n_words(regs):
    return max(reg.word for reg in regs) + 1


def sv_struct(name, registers, comment, member_width):
    out = [f"  // {comment}", "  typedef struct packed {"]
    for reg in once(registers):
        if reg.word_of:
            out.append(f"    logic {sv_dim(sv_width(reg.bits))}{reg.word_of};")
        elif reg.single:
            out.append(f"    {sv_member(reg.fields[0], member_width(reg.fields[0]), reg.lower)}")
        else:
            out.append("    struct packed {")
            out += [f"      {sv_member(part, member_width(part), part.name)}" for part in reversed(reg.fields) if not part.shows]
            out.append(f"    }} {reg.lower};")
    return out + [f"  }} {name};", ""]


def figure_width(part):
    if part.enum:
        return part.enum.width
    return sv_width(part.bits) if part.bits else part.width


def is_stored(reg):
    return reg.stored


def sv_structs(group, prefix):
    """Types of the outputs and inputs of a group's register file."""
    regs = plain(group)
    kinds = [("regs_t", [r for r in regs if r.stored], "registers, as blocks see them", Part.storage),
             ("writes_t", [r for r in regs if r.pulse], "an accepted write in this cycle", None),
             ("figures_t", [r for r in regs if r.given and not r.own], "values that other blocks have", figure_width),
             ("own_t", [r for r in regs if r.given and r.own], "values that the control port makes", figure_width)]
    out = []
    for name, members, what, width in kinds:
        if not members:
            continue
        comment = f"{group.title}: {what}."
        if width:
            out += sv_struct(f"{prefix}_{name}", members, comment, width)
        else:
            out += [f"  // {comment}", "  typedef struct packed {"]
            out += [f"    logic {reg.lower};" for reg in members] + [f"  }} {prefix}_{name};", ""]
    return out


def sv_package(groups):
    out = [LICENSE, GENERATED, "package qsm_regs_pkg;", "  import qsm_cfg_pkg::*;", "  import qsm_enums_pkg::*;", "  import qsm_pkg::*;", ""]
    for group in groups:
        if group.stride:
            out += [f"  // {group.title}: {camel(group.name)}Base + k * {camel(group.name)}Stride + register.",
                    f"  localparam logic [19:0] {camel(group.name)}Base = 20'h{group.base:05X};",
                    f"  localparam logic [19:0] {camel(group.name)}Stride = 20'h{group.stride:05X};"]
        else:
            out.append(f"  // {group.title}.")
        for reg in group.registers:
            out.append(f"  localparam logic [19:0] {camel(group.name, reg.name)} = 20'h{reg.offset:05X};{elements(reg)}")
        out.append("")
    out += ["  function automatic int unsigned least_of(input int unsigned a, input int unsigned b);",
            "    return (a < b) ? a : b;", "  endfunction", "",
            "  // Bits of a number from 0 to `most`.",
            "  function automatic int unsigned bits_of(input int unsigned most);",
            "    return (most > 1) ? $clog2(most + 1) : 1;", "  endfunction", ""]
    out += ["  // value <= most, for a constant: as gates, which are a third of a carry chain.",
            "  function automatic logic at_most(input logic [31:0] value, input logic [31:0] most);", "    logic fits;", "    fits = 1'b1;",
            "    for (int unsigned b = 0; b < 32; b++)", "      fits = most[b] ? (!value[b] || fits) : (!value[b] && fits);",
            "    return fits;", "  endfunction", ""]
    gpu, slot = register_files(groups)
    parts = [part for group in (gpu, slot) for reg in plain(group) if reg.stored and not reg.word_of for part in reg.fields]
    out += [f"  localparam int unsigned {part.width_name} = bits_of({expression(part.spans()[-1][1], str)});"
            for part in parts if part.storage() == part.width_name] + [""]
    out += sv_structs(gpu, "gpu") + sv_structs(slot, "slot")
    for array in sm_arrays(groups):
        if array.group.stride:
            out += sv_structs(array.group, array.group.name.lower())
    out[-1] = "endpackage"
    return "\n".join(out + [""])


def register_files(groups):
    return groups[0], next(group for group in groups if group.name == "SLOT")


def sv_slice(part):
    if part.low == 0 and part.high == 31:
        return "wdata_i"
    return f"wdata_i[{part.high}:{part.low}]" if part.width > 1 else f"wdata_i[{part.low}]"


def sv_compare(part, sign, text, whole):
    """A field, or the whole word, against a number."""
    value = number(text)
    field = "wdata_i" if whole else sv_cast(32, sv_slice(part))
    wide = whole or part.width > 6  # a carry chain, if not written as gates
    if sign == "<=" and (wide or value is None or value & (value + 1)):  # else some bits are 0
        return f"at_most({field}, {sv_number(text)})"
    if sign == ">=" and (wide or value is None or value & (value - 1)):  # else some bits are not 0
        return f"!at_most({field}, {sv_number(f'{text} - 1')})"
    if whole or number(text) is None:
        return f"{'wdata_i' if whole else sv_cast(32, sv_slice(part))} {sign} {sv_number(text)}"
    return f"{sv_slice(part)} {sign} {part.width}'d{number(text)}"


def sv_conditions(reg):
    """Conjuncts of: the written value is in the range."""
    if reg.cleared:
        return []
    if reg.word_of:
        return [f"(wdata_i & ~{camel(reg.word_of)}Bits[{32 * reg.word} +: 32]) == '0"]
    out = []
    unused = WORD & ~sum(((1 << part.width) - 1) << part.low for part in reg.fields)
    one_bit = reg.single and reg.fields[0].width == 1 and reg.fields[0].range
    if unused and not one_bit:
        out.append(f"(wdata_i & 32'h{unused:08X}) == '0")
    for part in reg.fields:
        if part.any_value:
            continue
        if part.sv_enum:
            word = "wdata_i" if part.width == 32 else sv_cast(32, sv_slice(part))
            out.append(f"{part.sv_enum.name}_valid({word})")
            continue
        whole = one_bit or part.width == 32
        spans = []
        for least, most in part.spans():
            sides = [("==", least)] if least == most else [(">=", least)] * (number(least) != 0) + [("<=", most)]
            spans.append([sv_compare(part, sign, text, whole) for sign, text in sides
                          if sign != "<=" or number(text) != (1 << part.width) - 1])
        if len(spans) == 1:
            out += spans[0]
        elif all(spans):
            out.append("(" + " || ".join(" && ".join(sides) if len(sides) == 1 else "(" + " && ".join(sides) + ")" for sides in spans) + ")")
    return out


def sv_rules(group, out_suffix):
    """always_comb of known, writable, value_ok, idle and quiet, one arm for registers with the same rules."""
    names = {"known": "known", "writable": "writable", "value_ok": "value_ok", "idle": "idle", "quiet": "quiet"}
    names = {key: name + out_suffix for key, name in names.items()}
    arms = {}
    for reg in plain(group):
        body = [(names["known"], [f"{reg.only} != 0"])] if reg.only else []
        if reg.writable:
            conditions = sv_conditions(reg)
            if conditions:
                body.append((names["value_ok"], conditions))
            body += [(names[flag], ["1'b1"]) for flag in ("idle", "quiet") if getattr(reg, flag)]
        else:
            body.append((names["writable"], ["1'b0"]))
        arms.setdefault(repr(body), (body, []))[1].append(f"{camel(group.name, reg.name)}[7:2]")
    has_idle = any(reg.idle for reg in group.registers)
    out = ["  always_comb begin"]
    for key, start in (("known", "1"), ("writable", "1"), ("value_ok", "1"), ("idle", "0"), ("quiet", "0")):
        if key != "idle" or has_idle:
            out.append(f"    {names[key]} = 1'b{start};")
    out.append("    case (off_i)")
    for body, labels in arms.values():
        if not body:
            out += wrap("      ", labels, last=": ;")
            continue
        lines = [wrap(f"        {name} =", conditions, " && ", last=";") for name, conditions in body]
        if len(lines) == 1 and len(lines[0]) == 1 and len(labels) == 1 and len(labels[0]) + len(lines[0][0]) < 100:
            out.append(f"      {labels[0]}: {lines[0][0].strip()}")
            continue
        out += wrap("      ", labels, last=": begin")
        out += [line for group_of_lines in lines for line in group_of_lines]
        out.append("      end")
    return out + [f"      default: {names['known']} = 1'b0;", "    endcase", "  end"]


def sv_masks(registers):
    return [f"  localparam logic [{32 * n_words(regs) - 1}:0] {camel(name)}Bits = {{{32 * n_words(regs)}{{1'b1}}}} >> "
            f"({32 * n_words(regs)} - {sv_width(regs[0].bits)});"
            for name, regs in vectors([reg for reg in registers if reg.writable]).items()]


def sv_reset(part):
    width = part.storage()
    if part.sv_enum:
        return next(name for name, value in zip(enums.sv_names(part.enum, "sv"), part.enum.values) if value.number == part.reset)
    if isinstance(width, int):
        return f"{width}'d{part.reset}" if part.reset < 65536 else f"{width}'h{part.reset:X}"
    return "'0" if part.reset == 0 else f"{width}'(32'd{part.reset})"


def members(reg):
    """[(member of the struct, field)]"""
    return [(reg.lower, reg.fields[0])] if reg.single else [(f"{reg.lower}.{part.name}", part) for part in reg.fields]


def sv_resets(registers, indent):
    out = []
    for reg in once(registers):
        if reg.word_of:
            out.append(f"{indent}regs_q.{reg.word_of} <= {chr(39)}{1 if reg.reset() else 0};")
        else:
            out += [f"{indent}regs_q.{member} <= {sv_reset(part)};" for member, part in members(reg)]
    return out


def sv_written(part):
    """The stored bits of a written value."""
    if part.sv_enum:
        return f"{part.sv_enum.name}_e'({sv_bits(part)})"
    return sv_bits(part)


def sv_bits(part):
    width = part.storage()
    if width == part.width:
        return sv_slice(part)
    if width == 1:
        return f"wdata_i[{part.low}]"
    top = f"{part.low + width - 1}:{part.low}" if isinstance(width, int) else f"{part.low} +: {width}"
    return f"wdata_i[{top}]"


def sv_store(group, indent, tenants=False):
    """case arms that write the registers: those that a tenant inherits, or the others."""
    out = []
    for reg in plain(group):
        if not reg.stored or reg.cleared or reg.tenant != tenants:
            continue
        label = f"{indent}{camel(group.name, reg.name)}[7:2]:"
        if reg.word_of:
            lines = [f"regs_q.{reg.word_of} <= {reg.word_of}_written;"]
        else:
            lines = [f"regs_q.{member} <= {sv_written(part)};" for member, part in members(reg)]
        if len(lines) == 1:
            out += [f"{label} {lines[0]}"]
        else:
            out += [f"{label} begin", *(f"{indent}  {line}" for line in lines), f"{indent}end"]
    return out + [f"{indent}default: ;"]


def sv_tenants(group, indent):
    """Writes of registers that a tenant does not inherit. In an arrival only CTX is written: what they get then, its
    offset tells, so that all slots have the same data inputs."""
    out = []
    for reg in plain(group):
        if not reg.stored or not reg.tenant:
            continue
        out += [f"{indent}if (arrival_i || (write && off_i == {camel(group.name, reg.name)}[7:2])) begin"]
        for member, part in members(reg):
            out += wrap(f"{indent}  regs_q.{member} <=", [f"arriving ? {sv_reset(part)}", f": {sv_written(part)};"], " ", indent + "      ")
        out += [f"{indent}end"]
    return out


def sv_vectors(group, signal, parts=("read", "written")):
    """Wider values padded to whole words, to be read by the word, or with a word written."""
    out = []
    for name, regs in vectors(plain(group)).items():
        width = 32 * n_words(regs)
        source = "regs_q" if regs[0].stored else "own_i" if regs[0].own else "figures_i"
        if not regs[0].kept and "read" in parts:
            out += [f"  logic [{width - 1}:0] {name}_words;", f"  assign {name}_words = {width}'({source}.{name});"]
        if regs[0].stored and "written" in parts:
            bits = sv_width(regs[0].bits)
            out += [f"  logic [{bits}-1:0] {name}_written;", "  always_comb begin", f"    {name}_written = regs_q.{name};",
                    f"    for (int unsigned b = 0; b < {bits}; b++) begin"]
            out += [f"      if ({signal} == {camel(group.name, reg.name)}[7:2] && b / 32 == {reg.word}) "
                    f"{name}_written[b] = wdata_i[5'(b)];" for reg in regs]
            out += ["    end", "  end"]
    return out


def sv_value(reg, element=""):
    """What a read of the register returns; element: [index] in an array."""
    if reg.word_of:
        return [f"{reg.word_of}_words[{32 * reg.word} +: 32]"]
    source = "regs_q" if reg.stored else "own_i" if reg.own else "figures_i"
    out = []
    for member, part in [(None, part) for part in reg.fields] if reg.constant else members(reg):
        value = f"{part.width}'({sv_number(part.constant)})" if reg.constant else f"{source}{element}.{member}"
        if part.shows:
            value = f"sm_figures_i.{part.shows[0]}{element}{part.shows[1]}"
        if reg.constant and part.width == 32:
            value = sv_number(part.constant)
        wide = value if part.width == 32 and not part.shows and (reg.constant or (part.storage() if reg.stored else figure_width(part)) == 32) else f"32'({value})"
        out.append(f"({wide} << {part.low})" if part.low else wide)
    return out


def sv_read(group):
    """Values of registers that are not kept, and of those that still have their reset value."""
    kept = [reg for reg in plain(group) if reg.kept]
    arms = {}
    for reg in kept:
        value = f"{camel(reg.word_of)}Bits[{32 * reg.word} +: 32]" if reg.word_of and reg.reset() else sv_number(str(reg.reset()))
        if reg.reset():
            arms.setdefault(value, []).append(f"{camel(group.name, reg.name)}[7:2]")
    out = ["  logic [31:0] figure, reset_value;", "  always_comb begin", "    case (off_i)"]
    for reg in plain(group):
        if reg.readable and not reg.apart and not reg.kept:
            out += wrap(f"      {camel(group.name, reg.name)}[7:2]: figure =", sv_value(reg), " | ", last=";")
    out += ["      default: figure = '0;", "    endcase", "    case (off_i)"]
    for value, labels in arms.items():
        out += wrap("      ", labels, last=f": reset_value = {value};")
    return out + ["      default: reset_value = '0;", "    endcase", "  end"]


def sv_kept(group, has_tenants):
    """Which registers have been written, and so are read back from the control port's memory."""
    def words(name, registers, text):
        return [f"  // {text}"] + wrap(f"  localparam logic [63:0] {name} =",
                                       [f"64'd1 << {camel(group.name, reg.name)}[7:2]" for reg in registers], " | ", "      ", ";")

    kept = [reg for reg in plain(group) if reg.kept]
    out = words("KeptWords", kept, "Registers that keep what was written.")
    if has_tenants:
        out += words("TenantWords", [reg for reg in kept if reg.tenant], "Those of them that a tenant does not inherit.")
    out += ["  logic [63:0] kept_q;  // it was written, by the word of its address", "  always_ff @(posedge clk_i or negedge rst_ni) begin",
            "    if (!rst_ni) begin", "      kept_q <= '0;", "    end else begin", "      for (int unsigned w = 0; w < 64; w++) begin"]
    if has_tenants:
        out += ["        if (TenantWords[w]) begin", "          if (arrival_i || (write && off_i == 6'(w))) kept_q[w] <= !arriving;",
                "        end else if (KeptWords[w] && write && off_i == 6'(w)) begin", "          kept_q[w] <= 1'b1;", "        end"]
    else:
        out += ["        if (KeptWords[w] && write && off_i == 6'(w)) kept_q[w] <= 1'b1;"]
    return out + ["      end", "    end", "  end", "  // Bits of others never change, and synthesis may take them for anything.",
                  "  assign kept_o = KeptWords[off_i] && kept_q[off_i];"]


def uses_enums(group):
    return any(part.sv_enum for reg in plain(group) if reg.writable for part in reg.fields)


def sv_module_head(name, comment, group, ports):
    return [LICENSE, GENERATED, *(f"// {line}" for line in comment), f"module {name}", "  import qsm_cfg_pkg::*;",
            *["  import qsm_enums_pkg::*;"] * uses_enums(group), "  import qsm_pkg::*;", "  import qsm_regs_pkg::*;", "(", *ports, ");"]


def sv_storage(group, has_tenants):
    """Registers, and what they are set to at reset, arrival and write."""
    stored = [reg for reg in plain(group) if reg.stored]
    cleared = [reg for reg in stored if reg.cleared]
    out = ["  always_ff @(posedge clk_i or negedge rst_ni) begin", "    if (!rst_ni) begin", *sv_resets(stored, "      "),
           "    end else begin"]
    for reg in cleared:
        width = reg.fields[0].storage()
        out += wrap(f"      regs_q.{members(reg)[0][0]} <=",
                    [f"(regs_q.{members(reg)[0][0]} & ~((write && off_i == {camel(group.name, reg.name)}[7:2]) ?",
                     f"wdata_i[{width}-1:0] : '0)) |", f"set_{reg.lower}_i;"], " ")
    out += ["      if (write) begin", "        case (off_i)", *sv_store(group, "          "), "        endcase", "      end",
            *(sv_tenants(group, "      ") if has_tenants else []), "    end", "  end", "  assign regs_o = regs_q;"]
    return out


def sv_pulses(group):
    return [f"  assign writes_o.{reg.lower} = write && off_i == {camel(group.name, reg.name)}[7:2];"
            for reg in plain(group) if reg.pulse]


def gpu_regs(groups):
    gpu, _ = register_files(groups)
    cleared = [reg for reg in plain(gpu) if reg.cleared]
    ports = ["  input  logic        clk_i,", "  input  logic        rst_ni,", "  input  logic        sel_i,    // an access is here",
             "  input  logic        we_i,     // it is a write", "  input  logic [7:2]  off_i,    // word of the address",
             "  input  logic [31:0] wdata_i,",
             "  input  logic        guard_i,  // what else a write at off_i needs is there",
             "  input  logic        quiet_i,  // the manager is not computing (qos_mgr.md R-QM-3)",
             "  output logic        ok_o,     // access accepted; only with sel_i",
             "  output logic        kept_o,   // the register at off_i was written: it is read back elsewhere",
             "  output logic [31:0] rdata_o,  // its value, 0 for those and for others",
             *(f"  input  logic {sv_dim(reg.fields[0].storage())}set_{reg.lower}_i,  // win over bits that a write clears" for reg in cleared),
             "  input  gpu_figures_t figures_i,", "  input  gpu_own_t     own_i,",
             "  input  sm_figures_t  sm_figures_i,  // of the selected SM", "  output gpu_regs_t    regs_o,",
             "  output gpu_writes_t  writes_o"]
    out = sv_module_head("qsm_gpu_regs", ["GPU-wide registers of the control port: rules, storage, read value.",
                                          "Contract: docs/control_port.md (R-CP-1, R-CP-2). Registers change at the end of the cycle",
                                          "of the write."], gpu, ports)
    out += ["  gpu_regs_t regs_q;", *sv_masks(plain(gpu)), *sv_vectors(gpu, "off_i"), "", "  // ---- rules ----",
            "  logic known, writable, value_ok, quiet, write;", *sv_rules(gpu, ""),
            "  assign ok_o = known && (!we_i || (writable && value_ok && guard_i && (!quiet || quiet_i)));",
            "  assign write = sel_i && we_i && ok_o;", *sv_pulses(gpu), "", "  // ---- storage ----", *sv_storage(gpu, False), *sv_kept(gpu, False), "",
            "  // ---- read ----", *sv_read(gpu), "  assign rdata_o = figure | (kept_o ? '0 : reset_value);", "endmodule", ""]
    return "\n".join(out)


def slot_regs(groups):
    _, slot = register_files(groups)
    ports = ["  input  logic        clk_i,", "  input  logic        rst_ni,", "  input  logic        we_i,       // accepted write",
             "  input  logic [7:2]  off_i,      // word of the address", "  input  logic [31:0] wdata_i,",
             "  input  logic        arrival_i,  // resets what a tenant does not inherit (R-CP-5)",
             "  output logic        kept_o,     // the register at off_i was written: it is read back elsewhere",
             "  output slot_regs_t   regs_o,", "  output slot_writes_t writes_o"]
    out = sv_module_head("qsm_slot_regs", ["Registers of one slot: storage. What they read as says qsm_slot_read.",
                                           "Contract: docs/control_port.md (R-CP-1, R-CP-5). Registers change at the end of the cycle",
                                           "of the write. An arrival is a write of CTX to this slot."], slot, ports)
    out += ["  slot_regs_t regs_q;", "  logic write, arriving;", "  assign write = we_i;",
            "  assign arriving = off_i == SlotCtx[7:2];  // while no tenant register is written", *sv_vectors(slot, "off_i", ("written",)), *sv_pulses(slot), "",
            "  // ---- storage ----", *sv_storage(slot, True), *sv_kept(slot, True), "endmodule", ""]
    return "\n".join(out)


def slot_read(groups):
    _, slot = register_files(groups)
    ports = ["  input  logic [7:2]    off_i,      // word of the address", "  input  logic          kept_i,     // the register was written: it is read back elsewhere",
             "  input  slot_figures_t figures_i,  // of the slot", "  output logic [31:0]   rdata_o     // 0 for what is kept, and for other addresses"]
    out = sv_module_head("qsm_slot_read", ["Read value of the registers of a slot that are not kept as they were written: one for all slots,",
                                           "since to choose a slot first takes less than to choose a word of each. Combinational.",
                                           "Contract: docs/control_port.md R-CP-1."], slot, ports)
    return "\n".join([*out, *sv_masks(plain(slot)), *sv_vectors(slot, "off_i", ("read",)), *sv_read(slot),
                      "  assign rdata_o = figure | (kept_i ? '0 : reset_value);", "endmodule", ""])


def slot_rules(groups):
    _, slot = register_files(groups)
    ports = ["  input  logic [7:2]  off_i,       // word of the address", "  input  logic [31:0] wdata_i,",
             "  output logic        known_o,     // there is such a register", "  output logic        writable_o,",
             "  output logic        value_ok_o,  // the value is in the register's range",
             "  output logic        idle_o,      // may be written only while the slot has no launch (R-CP-3)",
             "  output logic        quiet_o      // not while the manager computes (qos_mgr.md R-QM-3)"]
    out = sv_module_head("qsm_slot_rules", ["Which register of a slot an offset names, and whether a write of this value may be accepted.",
                                            "Combinational, one for all slots.", "Contract: docs/control_port.md R-CP-2 to R-CP-4."], slot, ports)
    return "\n".join(out + [*sv_masks(plain(slot)), *sv_rules(slot, "_o"), "endmodule", ""])


def smsel_regs(groups):
    arrays = sm_arrays(groups)
    given = [array for array in arrays if array.group.stride and any(reg.given for reg in array.registers)]
    ports = ["  input  logic [19:2] addr_i,", "  input  sm_figures_t sm_figures_i,  // of the selected SM",
             *(f"  input  {array.group.name.lower()}_figures_t [{array.elements}-1:0] figures_i," for array in given),
             "  output logic        known_o,  // there is such a register", "  output logic [31:0] rdata_o"]
    out = sv_module_head("qsm_smsel_regs", ["Registers of the selected SM that there are several times, per slot or sub-core: which there",
                                            "are, read value. Combinational.", "Contract: docs/control_port.md (R-CP-4, R-CP-6)."],
                         Group("", ""), ports)
    out += ["  always_comb begin", "    known_o = 1'b0;", "    rdata_o = '0;"]
    for array in arrays:
        top = (array.stride * array.count).bit_length() - 1
        low = array.stride.bit_length() - 1
        out += [f"    if (addr_i[19:{top}] == {camel(array.base)}[19:{top}] && 32'(addr_i[{top - 1}:{low}]) < {array.elements}) begin"]
        element = f"[addr_i[{low} +: idx_w({array.elements})]]"
        if low == 2:
            body = [f"      known_o = 1'b1;", *wrap("      rdata_o =", sv_value(array.registers[0], element), " | ", last=";")]
        else:
            slots = array.stride // 4
            body = [f"      known_o = 1'b1;", f"      case (addr_i[{low - 1}:2])"]
            for reg in array.registers:
                body += wrap(f"        {camel(array.group.name, reg.name)}[{low - 1}:2]: rdata_o =", sv_value(reg, element), " | ", last=";")
            body += ["        default: ;" if len(array.registers) == slots else "        default: known_o = 1'b0;", "      endcase"]
        out += body + ["    end"]
    return "\n".join(out + ["  end", "endmodule", ""])


# ---- the model ----


def own_member(reg):
    """The register is a member of its own name in the model's storage."""
    return reg.stored and not reg.model and not any(part.model for part in reg.fields)


def c_storage(reg, slot):
    """The lvalue of struct qsm_regs in which the model has a whole register."""
    if reg.model:
        return "regs->" + reg.model
    return f"regs->{'shared.' if reg.sm else ''}{reg.word_of or reg.lower}{'[k]' if slot else ''}"


def c_members(macro, registers, comment):
    """registers: [(register, of a slot)]"""
    lines = [f"{'qsm_sm_set' if reg.word_of else 'uint32_t'} {reg.word_of or reg.lower}{'[QSM_MAX_KERNELS]' if slot else ''}"
             for reg, slot in registers if own_member(reg) and (not reg.word_of or reg.word == 0)]
    return [f"// {comment}", f"#define {macro} \\", "; \\\n".join(f"  {line}" for line in lines), ""]


C_RULES = [("QSM_REG_IS_KNOWN", "there is such a register"), ("QSM_REG_IS_WRITABLE", None),
           ("QSM_REG_IS_STORED", "in struct qsm_regs, or a constant; else what a read returns lies elsewhere"),
           ("QSM_REG_IS_IDLE", "R-CP-3"), ("QSM_REG_IS_QUIET", "not while the manager computes (R-QM-3)"),
           ("QSM_REG_IS_TENANT", "R-CP-5"), ("QSM_REG_IS_FIGURE", "of the selected SM, at least some of its bits")]


def model_header(groups):
    gpu, slot = register_files(groups)
    registers = [(reg, False) for reg in plain(gpu)] + [(reg, True) for reg in plain(slot)]
    out = [LICENSE, GENERATED, "// Registers of the model's control port: storage, resets and rules.", "// clang-format off",
           "#ifndef QSM_REG_FILE_H", "#define QSM_REG_FILE_H", "", "#include <stdbool.h>", "#include <stdint.h>", "",
           "struct qsm_config;", "struct qsm_regs;", ""]
    out += c_members("QSM_SM_REGISTERS", [(reg, of) for reg, of in registers if reg.sm], "Members of struct qsm_sm_shared.")
    out += c_members("QSM_OTHER_REGISTERS", [(reg, of) for reg, of in registers if not reg.sm], "Members of struct qsm_regs.")
    out += c_figures(groups)
    out += ["enum {"] + [f"  {name} = {1 << i},{'  // ' + text if text else ''}" for i, (name, text) in enumerate(C_RULES)] + ["};", ""]
    out += ["// All registers at their reset values.",
            "void qsm_reg_file_reset(struct qsm_regs *regs, const struct qsm_config *config);",
            "// What a new tenant of slot k does not inherit (R-CP-5).", "void qsm_reg_file_arrive(struct qsm_regs *regs, uint32_t k);", "",
            "// Rules of the register at an offset, 0 where there is none; the write's value is in its range; value of",
            "// a register that is stored; and its change to a value that is in the range."]
    for name, k in (("gpu", ""), ("slot", "uint32_t k, ")):
        out += [f"uint32_t qsm_{name}_reg_rules(const struct qsm_config *config, uint32_t offset);",
                f"bool qsm_{name}_reg_fits(const struct qsm_config *config, uint32_t offset, uint32_t value);",
                f"uint32_t qsm_{name}_reg_load(const struct qsm_regs *regs, const struct qsm_config *config, {k}uint32_t offset);",
                f"void qsm_{name}_reg_store(struct qsm_regs *regs, {k}uint32_t offset, uint32_t value);"]
    out += ["", "// Register of the selected SM that there is several times: finds the address of its element 0, and the element.",
            "bool qsm_smsel_reg_find(const struct qsm_config *config, uint32_t addr, uint32_t *first, uint32_t *k);",
            "uint32_t qsm_smsel_reg_rules(uint32_t first);",
            "// The bits of a register that figures of the selected SM make; `address`: of element 0, where there are several.",
            "uint32_t qsm_reg_figures(const struct qsm_sm_figures *figures, uint32_t address, uint32_t k);"]
    return "\n".join(out + ["", "#endif", ""])


def c_figures(groups):
    """The struct of what registers show of an SM."""
    out = ["// What registers show of the selected SM: the members of sm_figures_t by name, as registers have their values.",
           "struct qsm_sm_figures {"]
    arrays = {id(reg): array for array in sm_arrays(groups) for reg in array.registers}
    for reg in (reg for group in groups for reg in group.registers if reg.sm_figure):
        count = f"[{arrays[id(reg)].count}]" if id(reg) in arrays else ""
        of_fields = [part.shows[1][1:] for part in reg.fields if part.shows and part.shows[1]]
        if of_fields:
            member = next(part.shows[0] for part in reg.fields)
            out += ["  struct {", f"    uint32_t {', '.join(of_fields)};", f"  }} {member}{count};"]
        else:
            out += [f"  uint32_t {part.shows[0]}{count};" for part in reg.fields if part.shows]
    return out + ["};", ""]


def c_figure_value(reg, element):
    parts = [(f"figures->{part.shows[0]}{element}{part.shows[1]}", part.low) for part in reg.fields if part.shows]
    return " | ".join(f"{value} << {low}" if low else value for value, low in parts)


def c_smsel(groups):
    """Functions of the registers of the selected SM."""
    arrays = sm_arrays(groups)
    inside = [(f"QSM_{array.base}" + (f" + QSM_{array.group.name}_{reg.name}" if array.group.stride else ""), reg)
              for array in arrays for reg in array.registers]
    out = ["bool qsm_smsel_reg_find(const struct qsm_config *config, uint32_t addr, uint32_t *first, uint32_t *k) {"]
    for array in arrays:
        out += [f"  if (within(addr, QSM_{array.base}, QSM_{array.base} + {array.stride} * config->{snake(array.elements)} - 1)) {{",
                f"    *k = (addr - QSM_{array.base}) / {array.stride};", f"    *first = addr - {array.stride} * *k;", "    return true;", "  }"]
    out += ["  return false;", "}", "", "uint32_t qsm_smsel_reg_rules(uint32_t first) {", "  switch (first) {"]
    arms = {}
    for label, reg in inside:
        arms.setdefault(c_rules(reg), []).append(label)
    for rules, labels in arms.items():
        out += [f"    case {label}:" for label in labels] + [f"      return {rules};"]
    out += ["    default: return 0;", "  }", "}", "",
            "uint32_t qsm_reg_figures(const struct qsm_sm_figures *figures, uint32_t address, uint32_t k) {", "  switch (address) {"]
    single = [(f"QSM_{group.name}_{reg.name}", reg, "") for group in groups if not group.stride for reg in plain(group) if reg.sm_figure]
    for label, reg, element in single + [(label, reg, "[k]") for label, reg in inside if reg.sm_figure]:
        out += [f"    case {label}:", f"      return {c_figure_value(reg, element)};"]
    return out + ["    default: return 0;", "  }", "}", ""]


def c_rules(reg):
    flags = ["QSM_REG_IS_KNOWN"]
    flags += ["QSM_REG_IS_WRITABLE"] * reg.writable + ["QSM_REG_IS_STORED"] * (reg.stored or reg.constant)
    flags += ["QSM_REG_IS_IDLE"] * reg.idle + ["QSM_REG_IS_QUIET"] * reg.quiet + ["QSM_REG_IS_TENANT"] * reg.tenant
    flags += ["QSM_REG_IS_FIGURE"] * reg.sm_figure
    rules = " | ".join(flags)
    return f"config->{snake(reg.only)} ? {rules} : 0" if reg.only else rules


def c_fits(reg):
    if reg.cleared:
        return ["true"]
    if reg.word_of:
        return [f"(value & ~(uint32_t)(qsm_first_sms(config->{snake(reg.bits)}) >> {32 * reg.word})) == 0"]
    out = []
    unused = WORD & ~sum(((1 << part.width) - 1) << part.low for part in reg.fields)
    if unused:
        out.append(f"(value & 0x{unused:08x}u) == 0")
    for part in reg.fields:
        if part.any_value:
            continue
        shifted = f"value >> {part.low}" if part.low else "value"
        text = "value" if part.width == 32 else f"({shifted} & 0x{(1 << part.width) - 1:x}u)"
        if part.enum:
            out.append(f"qsm_{part.enum.name}_valid({text.removeprefix('(').removesuffix(')')})")
            continue
        spans = [f"within({text}, {c_number(least)}, {c_number(most)})" if least != most else f"{text} == {c_number(least)}"
                 for least, most in part.spans()]
        out.append(spans[0] if len(spans) == 1 else "(" + " || ".join(spans) + ")")
    return out or ["true"]


def c_load(reg, slot):
    if reg.constant:
        return " | ".join(f"{c_number(part.constant)} << {part.low}" if part.low else c_number(part.constant) for part in reg.fields)
    if reg.word_of:
        return f"(uint32_t)({c_storage(reg, slot)} >> {32 * reg.word})"
    if any(part.model for part in reg.fields):
        return " | ".join(f"(uint32_t)regs->{part.model} << {part.low}" for part in reg.fields)
    return c_storage(reg, slot)


def c_store(reg, slot):
    if reg.word_of:
        place = c_storage(reg, slot)
        return [f"{place} = ({place} & ~((qsm_sm_set)UINT32_MAX << {32 * reg.word})) | (qsm_sm_set)value << {32 * reg.word};"]
    if reg.cleared:
        return [f"{c_storage(reg, slot)} &= ~value;"]
    if any(part.model for part in reg.fields):
        return [f"regs->{part.model} = value >> {part.low} & 0x{(1 << part.width) - 1:x}u;" for part in reg.fields]
    return [f"{c_storage(reg, slot)} = value;"]


def c_reset(reg, slot):
    """Statements that set the register to its reset value, where that is not 0."""
    if reg.reset() == 0:
        return []
    if reg.word_of:
        return [f"{c_storage(reg, slot)} = qsm_first_sms(config->{snake(reg.bits)});"] if reg.word == 0 else []
    if reg.single and reg.fields[0].enum:
        names = enums.c_names(reg.fields[0].enum)
        return [f"{c_storage(reg, slot)} = {name};"
                for name, value in zip(names, reg.fields[0].enum.values) if value.number == reg.reset()]
    return [f"{c_storage(reg, slot)} = 0x{reg.reset():x}u;"]


def c_switch(head, group, arms, last, is_slot):
    """A function that is one switch over the offset; arms: {body: [labels]}"""
    out = [f"{head} {{", "  switch (offset) {"]
    for body, regs in arms.items():
        out += [f"    case QSM_{group.name}_{reg.name}:" for reg in regs]
        out += [f"      {line}" for line in body]
    return out + [f"    default: {last}", "  }", "}", ""]


def arms_of(registers, body):
    out = {}
    for reg in registers:
        out.setdefault(tuple(body(reg)), []).append(reg)
    return out


def model_source(groups):
    gpu, slot = register_files(groups)
    out = [LICENSE, GENERATED, "// clang-format off", '#include "qsm_reg_file.h"', "", "#include <string.h>", "", '#include "qsm_config.h"',
           '#include "qsm_ctrl.h"', '#include "qsm_enums.h"', '#include "qsm_regs.h"', "",
           "static bool within(uint32_t value, uint32_t least, uint32_t most) {", "  return value >= least && value <= most;", "}", "",
           "void qsm_reg_file_reset(struct qsm_regs *regs, const struct qsm_config *config) {", "  memset(regs, 0, sizeof *regs);"]
    out += [f"  {line}" for reg in plain(gpu) if reg.stored for line in c_reset(reg, False)]
    out += ["  for (uint32_t k = 0; k < config->num_kernels; k++) {"]
    out += [f"    {line}" for reg in plain(slot) if reg.stored for line in c_reset(reg, True)]
    out += ["  }", "}", "", "void qsm_reg_file_arrive(struct qsm_regs *regs, uint32_t k) {"]
    out += [f"  {c_storage(reg, True)} = {reg.reset()};" for reg in plain(slot) if reg.stored and reg.tenant] + ["}", ""]
    for group, name, k in ((gpu, "gpu", ""), (slot, "slot", "uint32_t k, ")):
        regs = plain(group)
        of_slot = group is slot
        out += c_switch(f"uint32_t qsm_{name}_reg_rules(const struct qsm_config *config, uint32_t offset)", group,
                        arms_of(regs, lambda reg: [f"return {c_rules(reg)};"]), "return 0;", of_slot)
        out += c_switch(f"bool qsm_{name}_reg_fits(const struct qsm_config *config, uint32_t offset, uint32_t value)", group,
                        arms_of([reg for reg in regs if reg.writable], lambda reg: ["return " + " &&\n             ".join(c_fits(reg)) + ";"]),
                        "return false;", of_slot)
        if not any(reg.constant for reg in regs):
            unused = ["  (void)config;"]
        else:
            unused = []
        body = c_switch(f"uint32_t qsm_{name}_reg_load(const struct qsm_regs *regs, const struct qsm_config *config, {k}uint32_t offset)",
                        group, arms_of([reg for reg in regs if reg.stored or reg.constant], lambda reg: [f"return {c_load(reg, of_slot)};"]),
                        "return 0;", of_slot)
        out += body[:1] + unused + body[1:]
        out += c_switch(f"void qsm_{name}_reg_store(struct qsm_regs *regs, {k}uint32_t offset, uint32_t value)", group,
                        arms_of([reg for reg in regs if reg.stored], lambda reg: [*c_store(reg, of_slot), "break;"]), "break;", of_slot)
    out += c_smsel(groups)
    return "\n".join(out)


# ---- page ----


def access(reg):
    name = "rw1c" if reg.clears else {(True, True): "rw", (True, False): "ro", (False, True): "wo"}[reg.readable, reg.writable]
    return name + (" *idle*" if reg.idle else "") + (" *quiet*" if reg.quiet else "") + (" *tenant*" if reg.tenant else "")


def reset(reg):
    value = reg.reset()
    if value is None or (reg.constant and reg.fields[0].constant.isidentifier()):
        return ""
    if reg.word_of and reg.stored:
        return f"all of {reg.bits}" if value else "0"
    return str(value) if value < 65536 else f"0x{value:X}"


def allowed(reg):
    if not reg.writable or reg.clears:
        return ""
    if reg.word_of:
        return f"bits below {reg.bits}"
    if reg.single:
        part = reg.fields[0]
        return enum_link(part) or part.range or (f"multiple of {1 << part.low}" if part.low else "any")
    return ", ".join(f"{part.name} {enum_link(part) or part.range}" for part in reg.fields if not part.any_value) or "any"


def enum_link(part):
    return f"[{part.enum.name}](enumerations.md#{part.enum.name})" if part.enum else None


def describe(reg):
    def of_field(part):
        texts = [text for text in (part.constant if reg.constant else None, part.desc, None if reg.writable else enum_link(part)) if text]
        return f"[{part.high}:{part.low}] {part.name}" + (f": {', '.join(texts)}" if texts else "")

    parts = [of_field(part) for part in bit_fields(reg)]
    text = ". ".join([reg.desc] + ([", ".join(parts)] if parts else []))
    text += f". Refused {reg.refused}" if reg.refused else ""
    return text + (f". Only where {reg.only} > 0" if reg.only else "")


def markdown(groups):
    out = ["# Registers", "",
           f"Generated from `{SOURCE}` by `make registers`; do not edit. Rules of the port: [control_port.md](control_port.md).", "",
           "- A write outside the range is refused (err), and one with a bit that no field has. In ranges, names are those of "
           "[configuration.md](configuration.md)'s parameters.",
           "- *idle*: refused while a launch of its slot runs (STATUS.busy = 1), R-CP-3.",
           "- *quiet*: refused while the QoS manager computes (MGR_BUSY = 1, and the cycle before), qos_mgr.md R-QM-3.",
           "- *tenant*: set to its reset value when a tenant arrives, R-CP-5."]
    for group in groups:
        where = f": 0x{group.base:04X} + 0x{group.stride:X} * k" if group.stride else ""
        out += ["", f"## {group.title}{where}", "", *([f"Only where {group.only} > 0.", ""] if group.only else []), "| address | name | access | reset | range | content |",
                "| --- | --- | --- | --- | --- | --- |"]
        for reg in group.registers:
            out.append(f"| 0x{reg.offset:04X}{index(reg)} | {reg.name} | {access(reg)} | {reset(reg)} | {allowed(reg)} | {describe(reg)} |")
    return "\n".join(out + [""])


OUTPUTS = {
    "rtl/qsm_regs_pkg.sv": sv_package,
    "rtl/qsm_gpu_regs.sv": gpu_regs,
    "rtl/qsm_slot_regs.sv": slot_regs,
    "rtl/qsm_slot_read.sv": slot_read,
    "rtl/qsm_slot_rules.sv": slot_rules,
    "rtl/qsm_smsel_regs.sv": smsel_regs,
    "c_model/qsm_regs.h": c_header,
    "c_model/qsm_reg_file.h": model_header,
    "c_model/qsm_reg_file.c": model_source,
    "docs/registers.md": markdown,
}


def main():
    rdl, root = sys.argv[1:]
    groups = read_map(rdl)
    for path, make in OUTPUTS.items():
        target = pathlib.Path(root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(make(groups), encoding="utf-8")


if __name__ == "__main__":
    main()
