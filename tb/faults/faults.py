#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults made by hand in the RTL: does a test see each of them?

  faults.py prepare LIST OUT            writes OUT/rtl and OUT/tb: the RTL with all faults of LIST in it, each asleep
  faults.py run LIST OUT                wakes one after the other and reports in TAP; --table FILE writes a table

A marked place becomes a choice between the right and the wrong text (broken_rtl.py).
"""
import argparse
import json
import os
import pathlib
import re
import sys
from dataclasses import dataclass

from broken_rtl import ROOT, fuzz, unit_bench, write

SHORT_CYCLES = 20000


@dataclass
class Fault:
    number: int
    block: str
    file: str
    bench: str
    name: str
    kind: str
    place: str  # with `old => new`
    reason: str = ""  # why nothing can see it

    @property
    def full_name(self):
        return f"{self.block}.{self.name}"

    def parts(self):
        """Text before the mark, old, new, text behind it."""
        before, mark, behind = self.place.split("`")
        old, new = mark.split(" => ")
        return before, old, new, behind


def read_faults(path):
    faults, heading = [], None
    for line in pathlib.Path(path).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("== "):
            heading = line.split()[1:]
        elif line.startswith("~ "):
            faults[-1].reason = line[2:]
        elif line.startswith(" "):
            faults[-1].place += " " + line.strip()
        else:
            name, kind, place = line.split(None, 2)
            faults.append(Fault(len(faults) + 1, *heading, name, kind, place))
    names = [fault.full_name for fault in faults]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        sys.exit(f"{path}: not one of a name: {', '.join(sorted(doubled))}")
    return faults


# ---- Preparation ----

def pattern_of(text):
    """The text's tokens with any white space between them."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    gaps = [r"\s+" if re.match(r"\w", a) and re.match(r"\w", b) else r"\s*" for a, b in zip(tokens, tokens[1:])]
    return "".join(re.escape(token) + gap for token, gap in zip(tokens, gaps + [""]))


def span_of(fault, text):
    before, old, _, behind = fault.parts()
    pieces = [pattern_of(piece) for piece in (before, old, behind)]
    places = list(re.finditer(rf"{pieces[0]}\s*({pieces[1]})\s*{pieces[2]}", text))
    if len(places) != 1:
        sys.exit(f"{fault.full_name}: its place occurs {len(places)} times in {fault.file}")
    return places[0].span(1)


def choice(fault, right):
    new, number = fault.parts()[2], fault.number
    if right.rstrip().endswith((";", "end")):
        return f"begin if (qsm_fault_pkg::on({number})) begin {new} end else begin {right} end end"
    return f"(qsm_fault_pkg::on({number}) ? ({new}) : ({right}))"


def broken(text, faults):
    """The text of a file with all its faults in it; faults of one and the same place are chosen one after the other."""
    spans = {}
    for fault in faults:
        spans.setdefault(span_of(fault, text), []).append(fault)
    last = len(text)
    for (start, end), here in sorted(spans.items(), reverse=True):
        if end > last:
            sys.exit(f"{here[0].full_name}: overlaps another fault's place")
        piece = text[start:end]
        for fault in here:
            piece = choice(fault, piece)
        text, last = text[:start] + piece + text[end:], start
    return text


def prepare(faults, out):
    by_file, broken_files = {}, {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    for name, here in by_file.items():
        if not (ROOT / name).exists():
            sys.exit(f"no such file: {name}")
        broken_files[name] = broken((ROOT / name).read_text(), here)
    write(out, broken_files, {fault.bench for fault in faults})


# ---- Running ----

def fuzz_all(fault, out, cycles, options):
    return next(filter(None, (fuzz(out, fault.number, config, cycles, options.seed) for config in options.configs)), "")


def caught_by(fault, out, options):
    """Asks the fuzz of each configuration shortly, the unit bench, the fuzz at length: the cheapest first."""
    return (fuzz_all(fault, out, SHORT_CYCLES, options) or (options.units and unit_bench(out, fault.number, fault.bench))
            or fuzz_all(fault, out, options.cycles, options))


# ---- Reporting ----

def write_table(path, faults, seen, options):
    def state(fault):
        return seen[fault.full_name] or ("nothing to see: " + fault.reason if fault.reason else "**not seen**")

    done = [fault for fault in faults if fault.full_name in seen]
    caught = [fault for fault in done if seen[fault.full_name]]
    by_unit = sum(seen[fault.full_name].startswith("unit/") for fault in caught)
    equivalent = sum(bool(fault.reason) for fault in done if not seen[fault.full_name])
    rows = [f"| {fault.block} | {fault.name} | {fault.kind} | {state(fault)} |" for fault in done]
    path.write_text(f"""# Faults made by hand in the RTL

Written by `make faults`; the faults stand in `tb/faults/faults.txt`, the method in `tb/faults/README.md`.

{len(done)} faults in {len({fault.block for fault in done})} blocks: {len(caught) - by_unit} caught by the fuzz in lockstep (up to {options.cycles} cycles
of {' and '.join(options.configs)}; an assertion counts), {by_unit} by the block's unit bench after a short fuzz of {SHORT_CYCLES} cycles, {equivalent} change nothing that can be seen,
{len(done) - len(caught) - equivalent} not seen.

| block | fault | kind | caught by |
| --- | --- | --- | --- |
""" + "\n".join(rows) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("prepare", "run"))
    parser.add_argument("list")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--pattern", default="", help="only faults whose BLOCK.NAME has it")
    parser.add_argument("--cycles", type=int, default=300000, help="of the long fuzz")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--configs", nargs="+", default=["tiny", "odd"])
    parser.add_argument("--no-units", dest="units", action="store_false", help="fuzz only")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    faults, out = read_faults(options.list), options.out.resolve()
    os.chdir(ROOT)
    if options.what == "prepare":
        prepare(faults, out)
        return 0
    if fuzz(out, 0, options.configs[0], options.cycles, options.seed):
        sys.exit("the RTL differs from the model without any fault")
    kept, seen = out / "seen.json", {}
    chosen = [fault for fault in faults if re.search(options.pattern, fault.full_name)]
    print(f"1..{len(chosen)}")
    missed = 0
    for number, fault in enumerate(chosen, 1):
        what = caught_by(fault, out, options)
        seen = (json.loads(kept.read_text()) if kept.exists() else {}) | {fault.full_name: what}
        missed += not what and not fault.reason
        print(f"{'ok' if what or fault.reason else 'not ok'} {number} - {fault.full_name}: {what or fault.reason or 'not seen'}", flush=True)
        kept.write_text(json.dumps(seen, indent=1))
    if options.table:
        write_table(options.table, faults, seen, options)
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
