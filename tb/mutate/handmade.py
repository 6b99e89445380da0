# SPDX-License-Identifier: Apache-2.0
"""Lists of faults: mutants that are named, and faults made by hand that no operator of mutants.py makes.

    == HEADING...
    NAME KIND MUTANT              the mutant of this identifier
    NAME KIND PLACE CHANGE        the expression or statement of this name (sites.py) becomes CHANGE

CHANGE is SystemVerilog without names but those of parameters, which are the interface of a block: `$0` is what stands there, `$1`, `$2`, ... are its operands (`$1.2` the second one of the first), and `@PLACE` is
what stands at another place of the module. Where a list has lost its place, the whole list is refused.
"""
import pathlib
import re
from dataclasses import dataclass

from mutants import Mutant, grouped, one_line, parts_of
from pyslang import ast
from sites import is_identifier, name_of, tokens_of


@dataclass
class Entry:
    heading: tuple
    name: str
    kind: str
    place: str
    change: str

    @property
    def by_hand(self):
        return bool(self.change)


class Gone(Exception):
    pass


def read_list(path):
    entries, heading = [], None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("== "):
            heading = tuple(line.split()[1:])
        elif line and not line.startswith("#"):
            name, kind, place, *change = line.split(None, 3)
            entries.append(Entry(heading, name, kind, place, *(change or [""])))
    return entries


def part_at(node, path):
    for number in path.split("."):
        if number != "0":
            parts = parts_of(node)
            if int(number) > len(parts):
                raise Gone(f"has no ${path}")
            node = parts[int(number) - 1]
    return node


def changed(mutator, site, change):
    def part(match):
        if match[1] == "0":
            text = mutator.source[site.start:site.end]
        else:
            text = mutator.text(part_at(site.node, match[1]))
        return text if isinstance(site.node, ast.Statement) else grouped(text)

    def other(match):
        if match[1] not in mutator.sites.by_name:
            raise Gone(f"no place {match[1]}")
        there = mutator.sites.by_name[match[1]]
        return grouped(mutator.source[there.start:there.end])

    return re.sub(r"@([0-9a-f]{8})", other, re.sub(r"\$(\d(?:\.\d)*)", part, change))


def names_in(change):
    """What a change calls by its name."""
    return {text for _, _, text in tokens_of(re.sub(r"@[0-9a-f]{8}", "0", change)) if is_identifier(text)}


def mutant_of(mutator, entry):
    """The mutant of a module that an entry of a list names or says; Gone if it does not exist."""
    if not entry.by_hand:
        for mutant in mutator.mutants_by_place:
            if mutant.id == entry.place:
                return mutant
        raise Gone(f"no mutant {entry.place}")
    site = mutator.sites.by_name.get(entry.place)
    if site is None:
        raise Gone(f"no place {entry.place}")
    names = names_in(entry.change) - mutator.parameters
    if names:
        raise Gone(f"names {', '.join(sorted(names))}, no parameter")
    old, new = one_line(mutator.source[site.start:site.end]), one_line(changed(mutator, site, entry.change))
    return Mutant(mutator.module, "by hand", site.start, site.end, old, new, f"{entry.name}: {old} => {new}", site.statement, site.line,
                  isinstance(site.node, ast.Statement), entry.name, int(name_of(mutator.module, entry.name), 16))


def mutants_of_list(path, mutators, module_of):
    """[(entry, its mutator, its mutant)]; `mutators` are by module. Ends the process if a place of the list is gone."""
    found, complaints = [], []
    for entry in read_list(path):
        module = module_of(entry)
        try:
            if module not in mutators:
                raise Gone(f"no module {module}")
            found.append((entry, mutators[module], mutant_of(mutators[module], entry)))
        except Gone as gone:
            complaints.append(f"{path}: {module} {entry.name}: {gone}")
    if complaints:
        raise SystemExit("\n".join([*complaints, f"{path}: {len(complaints)} places are gone: tb/mutate/README.md says how to find them again"]))
    return found
