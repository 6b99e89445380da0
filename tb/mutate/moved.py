#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the places of the lists again when the RTL has changed: moved.py COMMIT, or moved.py --places MODULE

Compares the RTL with that of COMMIT, for which the lists hold. What stands at a lost place there is looked for here by the text that
stayed around it, in a renamed module too. Renews tb/mutate/faults.txt, tb/mutate/reasons.txt and tb/formal/broken.txt, and says what it does not find.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import mutants
from sites import is_identifier, tokens_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = {"tb/mutate/faults.txt": 0, "tb/mutate/reasons.txt": 0, "tb/formal/broken.txt": 1}  # which word of a heading is the module
PLACE = re.compile(r"\b[0-9a-f]{8}\b")


def mutators_at(root):
    """{module: its mutator} of the RTL below this folder, which has the lists of files of this tree."""
    os.chdir(root)
    found = {mutator.module: mutator for mutator in mutants.mutators_of(mutants.MACHINES).values()}
    os.chdir(ROOT)
    return found


def renamed_modules(commit):
    """{module now: its name at the commit}, by what git takes for one file."""
    said = subprocess.run(["git", "diff", "-M30%", "--diff-filter=R", "--name-status", commit, "--", "rtl/**.sv"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {pathlib.Path(new).stem: pathlib.Path(old).stem for _, old, new in map(str.split, said.splitlines())}


def checked_out(commit, folder):
    """The RTL of a commit and what reads it, with this tree's configurations."""
    archive = subprocess.run(["git", "archive", commit, "rtl"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    for name in ("odd", "tiny"):
        (folder / f"build/cfg/{name}").mkdir(parents=True)
        for file in (ROOT / f"build/cfg/{name}").iterdir():
            if file.name == "files.f":
                files = [line for line in file.read_text().split() if not line.startswith("rtl/")]
                packages = ["rtl/qsm_regs_pkg.sv", "rtl/qsm_pkg.sv"]
                others = sorted(str(path.relative_to(folder)) for path in (folder / "rtl").rglob("*.sv"))
                listed = [*files, *packages, *(other for other in others if other not in packages)]
                (folder / f"build/cfg/{name}/files.f").write_text("\n".join(listed) + "\n")
            else:
                (folder / f"build/cfg/{name}/{file.name}").write_bytes(file.read_bytes())


class Moved:
    """Places of a module before and after."""

    def __init__(self, before, after):
        self.before, self.after = before, after
        old, new = tokens_of(before.source), tokens_of(after.source)
        self.starts = {}  # of tokens before: of tokens after
        self.ends = {}
        matcher = difflib.SequenceMatcher(None, [text for _, _, text in old], [text for _, _, text in new], autojunk=False)
        for tag, a, a_end, b, b_end in matcher.get_opcodes():
            # A renamed identifier is as many tokens of the same sort.
            if tag == "equal" or tag == "replace" and a_end - a == b_end - b and all(
                    old[a + n][2] == new[b + n][2] or is_identifier(old[a + n][2]) and is_identifier(new[b + n][2]) for n in range(a_end - a)):
                for n in range(a_end - a):
                    self.starts[old[a + n][0]] = new[b + n][0]
                    self.ends[old[a + n][1]] = new[b + n][1]

    def span(self, start, end):
        return self.starts.get(start), self.ends.get(end)

    def site(self, name):
        site = self.before.sites.by_name.get(name)
        there = site and self.after.sites.by_span.get((*self.span(site.start, site.end), isinstance(site.node, mutants.ast.Statement)))
        return there.name if there else None

    def mutant(self, name):
        """The one mutant of the place that makes the same change, but for names."""
        mutant = next((mutant for mutant in self.before.mutants_by_place if mutant.id == name), None)
        if mutant is None:
            return None
        span = self.span(mutant.start, mutant.end)
        there = [other for other in self.after.mutants_by_place if (other.start, other.end) == span and other.kind == mutant.kind]
        shape = self.shape(mutant)
        same = [other for other in there if other.new == mutant.new] or [other for other in there if self.shape(other) == shape]
        return same[0].id if len(same) == 1 else None

    @staticmethod
    def shape(mutant):
        known = {}
        return [known.setdefault(text, len(known)) if is_identifier(text) else text for _, _, text in tokens_of(f"{mutant.old} {mutant.new}")]


def renewed(path, word, before, after, moved, new_names):
    """The list with names that hold now, and complaints."""
    lines, complaints, module = [], [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("== "):
            module = line.split()[1:][word]
            if module in new_names:
                line = re.sub(rf"\b{module}\b", new_names[module], line)
                module = new_names[module]
        elif line and not line.startswith("#"):
            def name_now(match, line=line, number=number):
                name = match[0]
                mutator = after.get(module)
                if mutator is None or module not in before:
                    return name
                is_mutant = any(mutant.id == name for mutant in before[module].mutants_by_place)
                if name in mutator.sites.by_name or is_mutant and any(mutant.id == name for mutant in mutator.mutants_by_place):
                    return name
                if module not in moved:
                    moved[module] = Moved(before[module], mutator)
                now = moved[module].mutant(name) if is_mutant else moved[module].site(name)
                if now is None:
                    complaints.append(f"{path.relative_to(ROOT)}:{number}: {module}: {name} is gone: {line.strip()}")
                return now or name
            names, reason = line, ""
            if path.name == "reasons.txt":
                names, reason = line.split(": ", 1)
                reason = ": " + reason
            line = PLACE.sub(name_now, names) + reason
            if module not in after:
                complaints.append(f"{path.relative_to(ROOT)}:{number}: no module {module}")
        lines.append(line)
    return "\n".join(lines) + "\n", complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?")
    parser.add_argument("--places", metavar="MODULE", help="prints the places of a module")
    options = parser.parse_args()
    after = mutators_at(ROOT)
    if options.places:
        for site in sorted(after[options.places].sites.by_span.values(), key=lambda site: (site.start, -site.end)):
            print(site.name, site.line, mutants.one_line(after[options.places].source[site.start:site.end]))
        return 0
    if not options.commit:
        parser.error("which commit?")
    with tempfile.TemporaryDirectory() as folder:
        checked_out(options.commit, pathlib.Path(folder))
        before = mutators_at(folder)
        old_names = renamed_modules(options.commit)
        before |= {new: before[old] for new, old in old_names.items()}
        new_names = {old: new for new, old in old_names.items()}
        moved, complaints = {}, []
        for name, word in LISTS.items():
            text, lost = renewed(ROOT / name, word, before, after, moved, new_names)
            (ROOT / name).write_text(text)
            complaints += lost
    print("\n".join([*complaints, f"{len(complaints)} places not found"]))
    return len(complaints) > 0


if __name__ == "__main__":
    sys.exit(main())
