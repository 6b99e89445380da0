#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two promises of c_model/README.md, checked below a given folder:

- Twins stand at the same path: c_model/X/qsm_Y.c has rtl/X/qsm_Y.sv, or a line in the README's table of files without a twin.
- A block of the SM writes its own state only. A struct of a block's header (one that c_model/sm/qsm_sm_blocks.h includes) is written
  by that header, by the file of its name, and by the files that the block consists of besides (PARTS). What blocks hand each other
  to be filled in is nobody's (HANDED_OVER).

C is not parsed: what is found are assignments, increments, memset and memcpy through `.` and `->`, from variables whose type is
declared in the same function, or file."""
import pathlib
import re
import sys

BLOCKS = "c_model/sm/qsm_sm_blocks.h"
PARTS = {
    "qsm_lsu": ("qsm_lsu_device", "qsm_lsu_shared"),
    "qsm_tb_save": ("qsm_save_steps",),
    "qsm_warp_sched": ("qsm_two_level", "qsm_qaws"),
    "qsm_sm_blocks": ("qsm_sm",),
}
HANDED_OVER = {
    "qsm_mem_op": "the load/store unit's, filled in by the sub-core",
    "qsm_result": "the sub-core's, filled in by the load/store unit",
    "qsm_l1_pass": "the L1's, filled in by the load/store unit",
    "qsm_part": "of a pass",
    "qsm_injection": "the sequencer's, for a sub-core",
    "qsm_inbox": "the messages of a cycle",
    "qsm_warp_start": "of a launch",
    "qsm_launch": "of a launch",
    "qsm_sched_in": "what a policy sees",
}

INDEX = r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
PATH = rf"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|{INDEX})+"
WRITE = re.compile(rf"({PATH})\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
PREFIXED = re.compile(rf"(?:\+\+|--)({PATH})")
COPIED = re.compile(rf"mem(?:set|cpy)\(&?({PATH})")
STRUCT = re.compile(r"^struct (qsm_\w+) \{(.*?)^\}", re.M | re.S)
MEMBER = re.compile(r"(?:_Alignas\(\d+\) )?(?:const )?struct (qsm_\w+) ([^;]*);")
FUNCTION = re.compile(r"^[A-Za-z_].*?\)\s*\{.*?^\}", re.M | re.S)


def without_comments(text):
    return re.sub(r"//.*|\"(?:\\.|[^\"\\\n])*\"", "", text)


def declared(text):
    """Variables of a struct's type, or pointers to one: name -> struct."""
    found = {}
    for struct, first, others in re.findall(r"struct (qsm_\w+) \**(?:const )?([A-Za-z_]\w*)(?=([^;(){}]*))", text):
        for name in (first, *re.findall(r",\s*\**([A-Za-z_]\w*)\s*(?=[,;=\[]|$)", others)):
            found[name] = struct
    return found


def headers(root):
    """The blocks' headers, by what qsm_sm_blocks.h includes, and itself."""
    names = re.findall(r'^#include "(qsm_\w+\.h)"', (root / BLOCKS).read_text(encoding="utf-8"), re.M)
    paths = [next((root / "c_model").rglob(name)) for name in names]
    return [path for path in paths if path.name != "qsm_sm.h"] + [root / BLOCKS]


def structs_of(root):
    """Struct -> who may write it (stems), and (struct, member) -> the member's struct."""
    owners, members = {}, {}
    for path in sorted((root / "c_model").rglob("*.h")):
        for struct, body in STRUCT.findall(without_comments(path.read_text(encoding="utf-8"))):
            for kind, names in MEMBER.findall(body):
                for name in re.findall(r"\**\s*([A-Za-z_]\w*)(?:\[[^\]]*\])*", names):
                    members[struct, name] = kind
    for path in headers(root):
        for struct, _ in STRUCT.findall(without_comments(path.read_text(encoding="utf-8"))):
            if struct not in HANDED_OVER:
                owners[struct] = {path.stem, *PARTS.get(path.stem, ())}
    return owners, members


def written(path, types, members):
    """The struct whose member the path ends in, or None."""
    first, *names = re.findall(r"[A-Za-z_]\w*", re.sub(INDEX, "", path))
    struct = types.get(first)
    for name in names[:-1]:
        struct = members.get((struct, name))
    return struct


def foreign_writes(root):
    owners, members = structs_of(root)
    for path in sorted(file for folder in ("sm", "warp_sched", "mem") for file in (root / "c_model" / folder).glob("*.[ch]")):
        text = without_comments(path.read_text(encoding="utf-8"))
        types = declared(text)
        for function in FUNCTION.finditer(text):
            local = {**types, **declared(function[0])}
            for pattern in (WRITE, PREFIXED, COPIED):
                for match in pattern.finditer(function[0]):
                    struct = written(match[1], local, members)
                    if struct in owners and path.stem not in owners[struct]:
                        line = text.count("\n", 0, function.start() + match.start(1)) + 1
                        yield f"{path.relative_to(root)}:{line}: writes {match[1]}, of struct {struct}"


def twins(root):
    readme = (root / "c_model/README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([\w/]*qsm_\w+\.c) \|", readme.partition("## Without a twin")[2], re.M))
    files = {path.relative_to(root / "c_model").as_posix() for path in (root / "c_model").rglob("qsm_*.c")}
    for name in sorted(files | listed):
        twin = f"rtl/{name[:-2]}.sv"
        has_twin = (root / twin).is_file()
        if name not in files:
            yield f"c_model/README.md: {name} is listed without a twin, and is no file"
        elif has_twin and name in listed:
            yield f"c_model/README.md: {name} is listed without a twin, and has {twin}"
        elif not has_twin and name not in listed:
            yield f"c_model/{name}: there is no {twin}, and README.md does not say why"


def main():
    root = pathlib.Path(sys.argv[1])
    complaints = [*twins(root), *foreign_writes(root)]
    for complaint in complaints:
        print(f"model_blocks.py: {complaint}", file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
