#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: which small changes of the RTL does no test see?

  mutate.py prepare FOLDER OUT BENCH...  writes the RTL with all mutants of rtl/FOLDER in it, each asleep, for these unit benches and the
                                         lockstep; FOLDER `hand`: all faults made by hand (faults.txt), `rtl`: what stands in no folder
  mutate.py run OUT                      wakes one after the other, reports in TAP, goes on where it has stopped; --table FILE writes a page
                                         of this and of --also OUT...
"""
import argparse
import collections
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass

from broken_rtl import LIMIT_S, ROOT, fuzz, unit_bench, write

HERE = pathlib.Path(__file__).resolve().parent
SHORT_CYCLES = 20000


# ---- Preparation ----

def prepare(folder, out, benches, faults):
    import handmade  # needs slang, which a run does not
    import mutants as made

    mutators = {path.relative_to(ROOT): mutator for path, mutator in made.mutators_of(made.MACHINES).items()}
    found = {path: mutator.mutants_by_place for path, mutator in mutators.items() if path.parent.name == folder}
    if folder == "hand":
        files = {mutator.module: path for path, mutator in mutators.items()}
        for _, mutator, mutant in handmade.mutants_of_list(faults, {mutator.module: mutator for mutator in mutators.values()}, lambda entry: entry.heading[0]):
            found.setdefault(files[mutator.module], []).append(mutant)
    if not found:
        sys.exit(f"rtl/{folder}: no RTL")
    write(out, {str(path): made.mutated((ROOT / path).read_text(), mutants) for path, mutants in found.items()}, benches)
    listed = [asdict(mutant) | {"file": str(path)} for path, mutants in found.items() for mutant in mutants]
    (out / "mutants.json").write_text(json.dumps({"benches": benches, "mutants": listed}, indent=1))


# ---- Running ----

@dataclass
class Mutant:
    module: str
    kind: str
    start: int
    end: int
    old: str
    new: str
    what: str
    statement: str
    line: int
    is_statement: bool
    id: str      # in its module
    number: int  # of all
    file: str

    @property
    def full_name(self):
        return f"{self.module} {self.id}"

    def describe(self):
        return f"{self.module} {self.id} line {self.line}, {self.kind}: {self.what}"


def sample(mutants, n, seed):
    """n mutants of each module (0: all), the same for the same seed, whatever others there are."""
    chosen = []
    for module in sorted({mutant.module for mutant in mutants}):
        here = [mutant for mutant in mutants if mutant.module == module]
        drawn = sorted(here, key=lambda mutant: hashlib.sha1(f"{seed} {mutant.full_name}".encode()).hexdigest())[:n or None]
        chosen += sorted(drawn, key=lambda mutant: (mutant.start, mutant.end))
    return chosen


def digest(paths, more=""):
    text = "".join(f"{path.relative_to(ROOT)}\n{path.read_text()}\n" for path in sorted(paths))
    return hashlib.sha1((text + more).encode()).hexdigest()[:12]


def rtl_of(out, bench):
    """Files that Verilator has read for a unit bench; none if it is not built."""
    folder = out / "unit" / bench
    listed = folder.glob("*__ver.d") if (folder / "run").exists() else ()
    return [word for path in listed for word in path.read_text().split() if word.startswith(f"{out}/rtl/")]


def benches_of(out, benches, files):
    """{file: unit benches that it is part of}"""
    read = {bench: rtl_of(out, bench) for bench in benches}
    return {file: [bench for bench in benches if f"{out}/{file}" in read[bench]] for file in files}


class Results:
    """What has seen which mutant, kept in OUT/results.jsonl. A result counts while the module is as it was, that nothing has seen it
    while the tests are too."""

    def __init__(self, out, benches, options):
        self.path = out / "results.jsonl"
        self.again = options.again
        self.lock = threading.Lock()
        self.rtl = {file: digest([ROOT / file]) for file in benches}
        self.tests = {file: digest({path for bench in used for path in (ROOT / f"tb/unit/{bench}").parent.iterdir()},
                                   f"{used if options.units else []} {options.cycles} {options.configs} {options.fuzz_seed}") for file, used in benches.items()}
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.records = {record["name"]: record for record in map(json.loads, lines)}

    def last(self, mutant):
        """The test that has seen it, '' for none, None if it has not been asked; by earlier tests too."""
        record = self.records.get(mutant.full_name)
        return record["seen"] if record and record["rtl"] == self.rtl[mutant.file] else None

    def of(self, mutant):
        """The same, None if it has to be asked."""
        seen = None if self.again else self.last(mutant)
        return None if seen == "" and self.records[mutant.full_name]["tests"] != self.tests[mutant.file] else seen

    def keep(self, mutant, seen):
        record = {"name": mutant.full_name, "seen": seen, "rtl": self.rtl[mutant.file], "tests": self.tests[mutant.file]}
        with self.lock:
            self.records[mutant.full_name] = record
            with self.path.open("a") as file:
                file.write(json.dumps(record) + "\n")


def processor_time():
    """Of all runs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Tests:
    """The unit benches of a module and the lockstep. Mutants that make a bench slow have been seen."""

    def __init__(self, out, benches, options):
        self.out, self.benches, self.options = out, benches, options
        self.times = {}
        self.n_seen = collections.Counter()  # (file, bench or configuration): mutants
        self.lock = threading.Lock()

    def time(self, test):
        """Processor time of a bench, or of a short fuzz of a configuration, without a mutant, which must not fail it."""
        with self.lock:
            if test not in self.times:
                self.times[test] = 0.0
                before = processor_time()
                failed = self.ask(0, test, LIMIT_S)
                if failed:
                    sys.exit(f"{failed}: fails without any mutant")
                self.times[test] = processor_time() - before
        return self.times[test]

    def order(self, file):
        """Those first that are quick and have seen many of the module's mutants so far."""
        return sorted([*(self.benches[file] if self.options.units else []), *self.options.configs], key=lambda test: self.time(test) / (1 + self.n_seen[file, test]))

    def ask(self, number, test, limit_s):
        return self.fuzz(number, test, SHORT_CYCLES) if test in self.options.configs else unit_bench(self.out, number, test, limit_s)

    def fuzz(self, number, config, cycles):
        results = self.out / "run" / threading.current_thread().name
        results.mkdir(exist_ok=True)
        return fuzz(self.out, number, config, cycles, self.options.fuzz_seed, results)

    def see(self, mutant):
        for test in self.order(mutant.file):
            seen = self.ask(mutant.number, test, 2 + 4 * self.time(test))
            if seen:
                self.n_seen[mutant.file, test] += 1
                return seen
        return next(filter(None, (self.fuzz(mutant.number, config, self.options.cycles) for config in self.options.configs)), "")


def read_reasons(path):
    """{module and identifier: why the mutant cannot matter}"""
    reasons, module = {}, ""
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            module = line.split()[1]
        elif line and not line.startswith("#"):
            names, reason = line.split(": ", 1)
            reasons |= {f"{module} {name}": reason for name in names.split()}
    return reasons


def ask(mutant, results, tests):
    seen = results.of(mutant)
    if seen is None:
        seen = tests.see(mutant)
        results.keep(mutant, seen)
    return seen


def run(mutants, results, tests, reasons, jobs):
    """How many mutants nothing sees though no reason is known."""
    missed = 0
    print(f"1..{len(mutants)}")
    with concurrent.futures.ThreadPoolExecutor(jobs, "worker") as pool:
        for number, (mutant, seen) in enumerate(zip(mutants, pool.map(lambda mutant: ask(mutant, results, tests), mutants)), 1):
            explained = seen or reasons.get(mutant.full_name, "")
            missed += not explained
            print(f"{'ok' if explained else 'not ok'} {number} - {mutant.describe()}: {explained or 'not seen'}", flush=True)
    return missed


# ---- Reporting ----

def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table(what, groups, seen, reasons, made=None):
    """A row for each group of mutants that were run, and one for all."""
    rows = []
    everything = [mutant for group in groups.values() for mutant in group]
    for name, group in [*sorted(groups.items()), ("all", everything)]:
        by = collections.Counter("bench" if seen[m.full_name].startswith("unit/") else "lockstep" if seen[m.full_name] else
                                 "same" if m.full_name in reasons else "missed" for m in group)
        caught = by["bench"] + by["lockstep"]
        numbers = [len(group), by["bench"], by["lockstep"], percent(caught, len(group)), by["same"], by["missed"]]
        if made:
            numbers.insert(0, sum(made.values()) if name == "all" else made[name])
        rows.append(f"| {name} | " + " | ".join(map(str, numbers)) + " |")
    columns = [what, *(["made"] if made else []), "run", "unit bench", "lockstep", "caught", "cannot matter", "not seen"]
    return ["| " + " | ".join(columns) + " |", "| --- " + "| ---: " * (len(columns) - 1) + "|", *rows]


def code(text):
    return "`" + text.replace("|", "\\|") + "`"


def page(mutants, seen, reasons, options):
    done = [mutant for mutant in mutants if mutant.full_name in seen]
    survivors = [mutant for mutant in done if not seen[mutant.full_name]]
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True, check=False).stdout.strip()
    modules, kinds = collections.defaultdict(list), collections.defaultdict(list)
    for mutant in done:
        modules[mutant.module].append(mutant)
        kinds[mutant.kind].append(mutant)
    rows = [f"| {m.module} | {m.id} | {m.line} | {m.kind} | {code(m.statement)} | {code(m.what)} | {reasons.get(m.full_name, '**not seen**')} |" for m in survivors]
    made = collections.Counter(mutant.module for mutant in mutants)
    whole = [f"`{name}`" for name, group in sorted(modules.items()) if len(group) == made[name]]
    caught = len(done) - len(survivors)
    same = sum(mutant.full_name in reasons for mutant in survivors)
    return "\n".join([
        "# Faults made by hand in the RTL" if options.by_hand else "# Mutants of the RTL",
        "",
        f"Written by `make {'faults' if options.by_hand else 'mutate'}`; do not edit. Commit {commit or 'unknown'}, {datetime.date.today()}. How mutants are made, and what a row means: `tb/mutate/README.md`.",
        "",
        f"**{percent(caught, len(done) - same)} of the {len(done) - same} mutants run that can matter are caught**, {percent(caught, len(done))} of all "
        f"{len(done)} run; {len(mutants)} are made. Asked are the unit",
        "benches that the block is part of" + (f" and the fuzz in lockstep on {' and '.join(options.configs)}, whichever is quick first, at last {options.cycles} cycles of it."
                                               if options.configs else ", no lockstep."),
        *([options.note] if options.note else []),
        f"Run whole: {', '.join(whole) or 'no module'}. Of the others only some have been run." if len(whole) < len(made) else "Every module has been run whole.",
        "",
        *table("module", modules, seen, reasons, {name: made[name] for name in modules}),
        "",
        *table("kind", kinds, seen, reasons),
        "",
        "## Survivors",
        "",
        *(["| module | mutant | line | kind | statement | mutated | why nothing sees it |", "| --- | --- | ---: | --- | --- | --- | --- |", *rows] if rows else ["None."]),
        "",
    ])


def warn_of_stale(reasons, mutants, seen):
    known, modules = {mutant.full_name for mutant in mutants}, {mutant.module for mutant in mutants}
    for name in reasons:
        if name.split()[0] in modules and (name not in known or seen.get(name)):
            print(f"# reasons.txt: {name} {'is caught' if name in known else 'is no mutant any more'}, its reason can go")


def prepared_in(out):
    """({file: unit benches that it is part of}, mutants)"""
    prepared = json.loads((out / "mutants.json").read_text())
    mutants = [Mutant(**entry) for entry in prepared["mutants"]]
    return benches_of(out, prepared["benches"], {mutant.file for mutant in mutants}), mutants


def seen_of(mutants, results):
    return {mutant.full_name: result for mutant in mutants if (result := results.last(mutant)) is not None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    preparing = commands.add_parser("prepare")
    preparing.add_argument("folder")
    preparing.add_argument("out", type=pathlib.Path)
    preparing.add_argument("benches", nargs="+")
    preparing.add_argument("--faults", type=pathlib.Path, default=HERE / "faults.txt", help="the list of those made by hand")
    running = commands.add_parser("run")
    running.add_argument("out", type=pathlib.Path)
    running.add_argument("--block", help="this module only")
    running.add_argument("--mutants", type=int, default=0, help="so many of each module, 0: all")
    running.add_argument("--only", nargs="+", metavar="ID", help="these mutants only, by identifier or, made by hand, by name")
    running.add_argument("--also", nargs="*", type=pathlib.Path, default=[], metavar="OUT", help="whose results the page shows too")
    running.add_argument("--reasons", type=pathlib.Path, default=HERE / "reasons.txt")
    running.add_argument("--seed", type=int, default=1, help="which ones")
    running.add_argument("--jobs", type=int, default=1, help="at the same time")
    running.add_argument("--cycles", type=int, default=300000, help="of the long fuzz")
    running.add_argument("--fuzz-seed", type=int, default=1)
    running.add_argument("--configs", nargs="*", default=["tiny", "odd"])
    running.add_argument("--again", action="store_true", help="also those of which the answer is known")
    running.add_argument("--no-benches", dest="units", action="store_false", help="ask the lockstep only")
    running.add_argument("--table", type=pathlib.Path)
    running.add_argument("--note", help="a sentence more on the page, of how it was run")
    options = parser.parse_args()
    out = options.out.resolve()
    os.chdir(ROOT)
    if options.command == "prepare":
        prepare(options.folder, out, options.benches, options.faults)
        return 0
    benches, mutants = prepared_in(out)
    options.by_hand = all(mutant.kind == "by hand" for mutant in mutants)
    chosen = sample([mutant for mutant in mutants if options.block in (None, mutant.module)], options.mutants, options.seed)
    if options.only:
        chosen = [mutant for mutant in mutants if mutant.id in options.only]
        unknown = set(options.only).difference(mutant.id for mutant in mutants)
        if unknown:
            sys.exit(f"no such mutants: {', '.join(sorted(unknown))}")
    if not chosen:
        sys.exit("no such mutants")
    reasons, results = read_reasons(options.reasons), Results(out, benches, options)
    missed = run(chosen, results, Tests(out, benches, options), reasons, options.jobs)
    seen = seen_of(mutants, results)
    if not options.by_hand:
        warn_of_stale(reasons, mutants, seen)
    if options.table:
        for other in (folder.resolve() for folder in options.also if (folder / "mutants.json").exists() and folder.resolve() != out):
            others_benches, others = prepared_in(other)
            mutants, seen = mutants + others, seen | seen_of(others, Results(other, others_benches, options))
        options.table.write_text(page(mutants, seen, reasons, options))
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
