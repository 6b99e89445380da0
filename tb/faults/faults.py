#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults made by hand in the RTL: does a test see each of them?

  faults.py prepare LIST OUT            writes OUT/rtl and OUT/tb: the RTL with all faults of LIST in it, each asleep
  faults.py run LIST OUT                wakes one after the other and reports in TAP; --table FILE writes a table

All faults are built at once: a marked place becomes a choice between the right and the wrong text, and the environment variable
QSM_FAULT names the fault that is awake in this process (0: none).
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 300  # of one run
SHORT_CYCLES = 20000

PACKAGE = """// Which fault is awake; see tb/faults/README.md.
package qsm_fault_pkg;
  import "DPI-C" function int qsm_fault_awake();
  int awake = qsm_fault_awake();
  function automatic logic on(input int fault);
    return awake == fault;
  endfunction
endpackage
"""

SELECTOR = """#include <cstdlib>
extern "C" int qsm_fault_awake() {
  const char *fault = std::getenv("QSM_FAULT");
  return fault ? std::atoi(fault) : 0;
}
"""


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
    """The text with any white space where it has some."""
    return r"\s+".join(re.escape(word) for word in text.split())


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


def write_if_new(path, text):
    """Whether the file is a new one or has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_text() == text:
        return False
    path.write_text(text)
    return True


def prepare(faults, out):
    """Writes the files; OUT/prepared is touched if one of them is new, so that nothing is built again without need."""
    by_file, files = {}, {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    for path in sorted((ROOT / "rtl").rglob("*.sv")):
        name = str(path.relative_to(ROOT))
        files[name] = broken(path.read_text(), by_file.pop(name, []))
    if by_file:
        sys.exit(f"no such file: {', '.join(by_file)}")
    for bench in {fault.bench for fault in faults}:
        files[f"tb/{bench}.f"] = re.sub(r"(?m)^(-y )?rtl(?=/.*\.sv$|/\w+$|$)", rf"\1{out}/rtl", (ROOT / f"tb/unit/{bench}.f").read_text())
    files["qsm_fault_pkg.sv"], files["qsm_fault.cpp"] = PACKAGE, SELECTOR
    changed = [name for name, text in files.items() if write_if_new(out / name, text)]
    (out / "root/build/rtl").mkdir(parents=True, exist_ok=True)
    (out / "run").mkdir(exist_ok=True)
    if changed or not (out / "prepared").exists():
        (out / "prepared").touch()


# ---- Running ----

def run(command, environment, limit_s):
    """(exit code or None if it hangs, everything it said)."""
    try:
        done = subprocess.run(command, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=limit_s)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def fuzz(out, number, config, cycles, seed):
    """What the lockstep saw, '' for nothing."""
    command = ["build/qsm", "fuzz", "--config", config, "--cycles", str(cycles), "--seed", str(seed), "--out", out / "run", "--quiet"]
    code, said = run(command, {"QSM_FAULT": str(number), "QSM_ROOT": str(out / "root")}, LIMIT_S)
    if code == 0:
        return ""
    if code is None:
        return f"{config}: hangs"
    at = re.search(r"RTL assertion before (cycle \d+): ([\w.:]+)", said)
    if at:
        return f"{config}: assertion {at[2]}, {at[1]}"
    at = re.search(r"RTL and model differ: (cycle \d+)[,:] (?:block )?(.{0,50})", said)
    return f"{config}: lockstep, {at[1]}, {at[2].split(' (')[0].split(',')[0]}" if at else f"{config}: breaks off, exit code {code}"


def unit_bench(out, number, bench):
    code, said = run([out / "unit" / bench / "run"], {"QSM_FAULT": str(number)}, LIMIT_S)
    failed = re.search(r"(?m)^not ok \d+ - (.*)|%Error: (\S+): Assertion", said)
    if failed:
        return f"unit/{bench}: {failed[1] or 'assertion ' + failed[2]}"
    return "" if code == 0 else f"unit/{bench}: " + ("hangs" if code is None else f"exit code {code}")


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
