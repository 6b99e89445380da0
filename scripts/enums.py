#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns rtl/qsm_enums.rdl into rtl/qsm_enums_pkg.sv, tb/cosim/qsm_lockstep_pkg.sv, c_model/qsm_enums.h and docs/enumerations.md below a
given folder.

usage: enums.py RDL OUTPUT_ROOT
"""

import hashlib
import pathlib
import sys
import textwrap
from dataclasses import dataclass

from systemrdl import RDLCompiler
from systemrdl.rdltypes import UserEnum

SOURCE = "rtl/qsm_enums.rdl"
NOTICE = f"Generated from {SOURCE} by `make enums`; do not edit."
COLUMNS = 100


@dataclass
class Value:
    mnemonic: str
    number: int
    name: str  # in scenarios, results and messages
    desc: str

    @property
    def camel(self):
        return camel(self.mnemonic)

    @property
    def upper(self):
        return self.mnemonic.upper()


class Enum:
    """An enumeration as the field of the map says it."""

    def __init__(self, field):
        self.name = field.inst_name
        self.width = field.width
        self.title = field.get_property("desc")
        self.prefix = {language: field.get_property(language, default=None) for language in ("sv", "cosim", "c", "api")}
        self.texts = field.get_property("texts", default=False)
        self.written = field.get_property("written", default=False)
        self.of_blocks = field.get_property("of_blocks", default=False)
        self.values = [Value(member.name, member.value, member.rdl_name or member.name, " ".join(member.rdl_desc.split()))
                       for member in field.get_property("encode")]
        self.count = max(value.number for value in self.values) + 1
        self.predicates = {name: [member.name for member in value] for name in field.list_properties()
                           if isinstance(value := field.get_property(name), list) and value and isinstance(value[0], UserEnum)}
        names = [value.name for value in self.values]
        if len(set(names)) != len(names):  # numbers and widths are the compiler's to check
            sys.exit(f"{SOURCE}: enumeration {self.name}: two values have one name")

    def members(self, mnemonics):
        return [value for value in self.values if value.mnemonic in mnemonics]

    @property
    def dense(self):
        return self.count == len(self.values)


def read_enums(path):
    compiler = RDLCompiler()
    compiler.compile_file(path)
    return enums_of(compiler.elaborate("qsm_enums").top)


def enums_of(top):
    """The enumerations of the elaborated map."""
    return [Enum(field) for reg in top.registers() for field in reg.fields()]


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def digest(enums):
    """Of all that both sides of the lockstep must have the same."""
    text = "\n".join(f"{enum.name} {value.number} {value.name} {value.desc if enum.of_blocks else ''}" for enum in enums for value in enum.values)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def comment(text, indent=0):
    lead = " " * indent + "// "
    return textwrap.wrap(text, COLUMNS, initial_indent=lead, subsequent_indent=lead, break_on_hyphens=False)


def values_with_comments(lines):
    """Lines (text, comment) with the comment behind the text where there is room, else before it."""
    out = []
    for text, what in lines:
        if len(text) + len(what) + 5 <= COLUMNS:
            out.append(f"{text}  // {what}")
        else:
            out += comment(what, 2 if text.startswith("  ") and not text.startswith("    ") else 4) + [text]
    return out


def listed(lead, items, end):
    """`lead` with the items behind it, on as many lines as they need."""
    return textwrap.wrap(lead + ", ".join(items) + end, COLUMNS, subsequent_indent=" " * 8)


# ---- SystemVerilog ----

def sv_names(enum, language, values=None):
    return [enum.prefix[language] + value.camel for value in (enum.values if values is None else values)]


def sv_type(enum, language):
    kind = f"logic [{enum.width - 1}:0]" if language == "sv" else "int"
    out = comment(f"{enum.title}.", 2) + [f"  typedef enum {kind} {{"]
    number = f"{enum.width}'d" if language == "sv" else ""
    lines = [(f"    {name} = {number}{value.number}{',' if value is not enum.values[-1] else ''}", value.desc)
             for name, value in zip(sv_names(enum, language), enum.values)]
    return out + values_with_comments(lines) + [f"  }} {enum.name}_e;"]


def sv_function(name, argument, items):
    return [f"  function automatic logic {name}(input {argument} value);", *listed("    return value inside {", items, "};"), "  endfunction"]


def sv_enum(enum):
    title = camel(enum.name)
    out = sv_type(enum, "sv")
    out.append(f"  localparam int unsigned {title}Count = {enum.count};  // above every number")
    if enum.written:
        out += [f"  function automatic logic {enum.name}_valid(input logic [31:0] value);"]
        out += listed("    return value inside {", [f"32'd{value.number}" for value in enum.values], "};")
        out.append("  endfunction")
    for name, mnemonics in enum.predicates.items():
        out += sv_function(name, f"{enum.name}_e", sv_names(enum, "sv", enum.members(mnemonics)))
    return out + [""]


def sv_package(enums):
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTICE}",
           "// Enumerations of the GPU; of no configuration, so that every block can use them.",
           "// Meaning: docs/enumerations.md.", "package qsm_enums_pkg;"]
    for enum in enums:
        if enum.prefix["sv"]:
            out += sv_enum(enum)
    out[-1] = "endpackage"
    return "\n".join(out + [""])


def lockstep_package(enums):
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTICE}", "// What the monitors report.",
           "// Meaning: docs/enumerations.md.", "package qsm_lockstep_pkg;"]
    for enum in enums:
        if enum.prefix["cosim"]:
            out += sv_type(enum, "cosim") + [""]
    out[-1] = "endpackage"
    return "\n".join(out + [""])


# ---- C ----

def c_names(enum, values=None):
    return [f"{enum.prefix['c']}_{value.upper}" for value in (enum.values if values is None else values)]


def c_function(kind, name, body):
    space = "" if kind.endswith("*") else " "
    return [f"static inline {kind}{space}{name}(uint32_t value) {{", *body, "}"]


def c_strings(enum, what, text):
    """A function that gives a string for each value."""
    body = ["  switch (value) {"]
    for name, value in zip(c_names(enum), enum.values):
        line = f"    case {name}: return \"{text(value)}\";"
        body += [line] if len(line) <= COLUMNS else [f"    case {name}:", *c_long_string(text(value))]
    return c_function("const char *", f"qsm_{enum.name}_{what}", body + ["    default: return \"?\";", "  }"])


def c_long_string(text):
    pieces = textwrap.wrap(text, COLUMNS - 18, drop_whitespace=False, break_on_hyphens=False)
    lines = [f'"{piece}"' for piece in pieces]
    return [f"      return {lines[0]}", *(f"             {line}" for line in lines[1:-1]), f"             {lines[-1]};"] if len(lines) > 1 else [f"      return {lines[0]};"]


def c_set(enum, name, values):
    if enum.dense and len(values) == enum.count:
        return c_function("bool", name, [f"  return value < QSM_{enum.name.upper()}_COUNT;"])
    cases = [f"    case {member}:" for member in c_names(enum, values)]
    return c_function("bool", name, ["  switch (value) {", *cases[:-1], cases[-1] + " return true;", "    default: return false;", "  }"])


def c_enum(enum):
    kind = f"qsm_{enum.name}"
    out = comment(f"{enum.title}.")
    if enum.prefix["api"]:
        names = [f"{enum.prefix['api']}{value.camel}" for value in enum.values]
        out += [f"typedef enum {kind} {{", *values_with_comments([(f"  {name} = {value.number},", value.desc) for name, value in zip(names, enum.values)]),
                *(f"  {name} = {other}," for name, other in zip(c_names(enum), names)), f"}} qsm{camel(enum.name)};"]
    else:
        lines = [(f"  {name} = {value.number},", value.desc) for name, value in zip(c_names(enum), enum.values)]
        out += [f"enum {kind} {{", *values_with_comments(lines), "};"]
    out.append(f"enum {{ QSM_{enum.name.upper()}_COUNT = {enum.count} }};  // above every number")
    out += c_strings(enum, "name", lambda value: value.name)
    if enum.written:
        out += c_set(enum, f"{kind}_valid", enum.values)
        out += [f"static inline bool {kind}_parse(const char *name, uint32_t *value) {{",
                f"  return qsm_enum_parse({kind}_name, QSM_{enum.name.upper()}_COUNT, name, value);", "}"]
    if enum.texts:
        out += c_strings(enum, "text", lambda value: value.desc)
    if enum.of_blocks:
        out += c_strings(enum, "block", lambda value: value.desc.split(": ")[0])
        out += c_strings(enum, "words", lambda value: value.desc.split(": ")[1])
    for name, mnemonics in enum.predicates.items():
        out += c_set(enum, f"qsm_{name}", enum.members(mnemonics))
    return out + [""]


C_HEAD = """\
// Enumerations that RTL, model, library and tools share, with the names of their values. Constants
// that begin with `qsm` are for users of the library (sw/libqsm/qsm_runtime.h).
// Meaning: docs/enumerations.md.
#ifndef QSM_ENUMS_H
#define QSM_ENUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __STDC_HOSTED__
#include <stdio.h>
#include <string.h>
#else  // for the numbers alone; whoever wants names brings these
int snprintf(char *text, size_t text_len, const char *format, ...);
int strcmp(const char *a, const char *b);
#endif
"""

C_PARSE = """\
// All names, for messages: "lrr, gto".
static inline void qsm_enum_list(const char *(*name_of)(uint32_t), uint32_t count, char *text,
                                 size_t text_len) {
  size_t at = 0;
  for (uint32_t i = 0; i < count && at < text_len; i++)
    at += (size_t)snprintf(text + at, text_len - at, "%s%s", i ? ", " : "", name_of(i));
}

// The value of that name; false: none has it. No value is called "?".
static inline bool qsm_enum_parse(const char *(*name_of)(uint32_t), uint32_t count,
                                  const char *name, uint32_t *value) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(name_of(i), name) != 0 || strcmp(name, "?") == 0) continue;
    *value = i;
    return true;
  }
  return false;
}
"""


def c_header(enums):
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTICE}", *C_HEAD.splitlines(), "",
           "// Of all names and numbers here: what was built from others is refused.",
           f'#define QSM_ENUMS_DIGEST "{digest(enums)}"', "", *C_PARSE.splitlines(), ""]
    for enum in enums:
        out += c_enum(enum)
    return "\n".join(out + ["#endif", ""])


# ---- The page ----

def constants(enum, value):
    names = [enum.prefix[language] + value.camel for language in ("sv", "cosim") if enum.prefix[language]]
    names.append(f"{enum.prefix['c']}_{value.upper}")
    if enum.prefix["api"]:
        names.append(enum.prefix["api"] + value.camel)
    return ", ".join(f"`{name}`" for name in names)


def page_text(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("[]", "\\[\\]")


def markdown(enums):
    out = ["# Enumerations", "", f"Generated from `{SOURCE}` by `make enums`; do not edit.",
           "Numbers are those in registers and in the lockstep, names those in scenarios, results and messages.",
           "Constants are those of the RTL, of the model and of the library, as far as each has them."]
    for enum in enums:
        out += ["", f"## {enum.name}", f"{page_text(enum.title)}.", "", "| number | name | meaning | constants |", "| ---: | --- | --- | --- |"]
        out += [f"| {value.number} | {value.name} | {page_text(value.desc)} | {constants(enum, value)} |" for value in enum.values]
        if enum.predicates:
            out.append("")
            out += [f"- `{name}`: {', '.join(value.name for value in enum.members(mnemonics))}." for name, mnemonics in enum.predicates.items()]
    return "\n".join(out + [""])


OUTPUTS = (("rtl/qsm_enums_pkg.sv", sv_package), ("tb/cosim/qsm_lockstep_pkg.sv", lockstep_package),
           ("c_model/qsm_enums.h", c_header), ("docs/enumerations.md", markdown))


def main():
    rdl, root = sys.argv[1:]
    enums = read_enums(rdl)
    for path, make in OUTPUTS:
        target = pathlib.Path(root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(make(enums), encoding="utf-8")


if __name__ == "__main__":
    main()
