#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is made of mutated.sv, that Verilator reads all of it at once, that names of places stay, and that a run reports what no test sees.
. "$(dirname "$0")/../tap.sh"

python="build/venv/bin/python"
export PYTHONPATH=tb/mutate
made=build/mutate/test
rm -rf "$made"
mkdir -p "$made"

$python - "$made/mutated.sv" > "$work/list" <<'END'
import pathlib
import sys

import mutants

(path, made), = mutants.mutants_of([("mutated", "tb/mutate/mutated.sv")]).items()
pathlib.Path(sys.argv[1]).write_text(mutants.mutated(path.read_text(), made))
for mutant in made:
    print(mutant.line, f"{mutant.kind}: {mutant.what}")
END
verdict 'mutants of a small module' "$(cat "$work/list")" "$(cat tb/mutate/mutated.txt)"
echo 'package qsm_fault_pkg; int awake; function automatic logic on(input int fault); return awake == fault; endfunction endpackage' > "$work/package.sv"
verdict 'all mutants are SystemVerilog' "$(verilator --lint-only -Wno-lint -Wno-style --top-module mutated "$work/package.sv" "$made/mutated.sv" 2>&1)" ''
verdict 'all mutants are in the text' "$(grep -o "on('h[0-9a-f]*)" "$made/mutated.sv" | sort -u | wc -l)" "$(wc -l < "$work/list")"

# Other names, other white space, no comments: the same identifiers. Another statement of the same shape: other ones for both.
cat > "$work/rename.py" <<'END'
import hashlib
import pathlib
import sys

import mutants
from sites import is_identifier, tokens_of


def renamed(text, names):
    if text in ("clk_i", "rst_ni"):  # which are so named in all modules (docs/style.md)
        return text
    prefix = "unused_" if mutants.is_unused(text) else "n"
    return names.setdefault(text, prefix + hashlib.sha1(text.encode()).hexdigest()[:9])


def names_of(path, folder, source, change):
    """(names of places, identifiers of mutants) of a changed file."""
    top = path.stem
    names, text = {}, ""
    if change == "rename":
        kept, skip = [], False  # what is under `ifndef SYNTHESIS is gone
        for line in source.splitlines():
            skip = skip or line.startswith("`ifndef")
            if not skip:
                kept.append(line)
            skip = skip and not line.startswith("`endif")
        for n, (_, _, token) in enumerate(tokens_of("\n".join(kept))):
            text += (renamed(token, names) if is_identifier(token) else token) + ("\n  " if n % 3 else " ")
        top = names[top]
    copy = folder / f"{top}.sv"
    copy.write_text(text or source)
    mutator, = mutants.mutators_of([(top, str(copy))]).values()
    return sorted(mutator.sites.by_name), sorted(mutant.id for mutant in mutator.mutants_by_place)


folder = pathlib.Path(sys.argv[1])
for path in map(pathlib.Path, sys.argv[2:]):
    source = path.read_text()
    before, after = (names_of(path, folder, source, change) for change in ("", "rename"))
    print(path.stem, len(before[0]) > 20, before == after)
END
verdict 'names of places and mutants stay when all identifiers and the layout change' \
  "$($python "$work/rename.py" "$work" tb/mutate/mutated.sv rtl/qsm_rr_pick.sv rtl/warp_sched/qsm_warp_age.sv rtl/tb_sched/qsm_tb_tickets.sv rtl/qos_mgr/qsm_qos_arith.sv)" \
  "$(printf '%s True True\n' mutated qsm_rr_pick qsm_warp_age qsm_tb_tickets qsm_qos_arith)"

cat > "$work/lists.py" <<'END'
import pathlib
import sys

import handmade
import mutants

list_of, source = pathlib.Path(sys.argv[1]), pathlib.Path("tb/mutate/mutated.sv")
mutator, = mutants.mutators_of([("mutated", str(source))]).values()


def said(text):
    list_of.write_text("== mutated\n" + text)
    try:
        (_, _, mutant), = handmade.mutants_of_list(list_of, {"mutated": mutator}, lambda entry: entry.heading[0])
    except SystemExit as refused:
        return str(refused).replace(str(list_of), "LIST").splitlines()[0]
    return mutant.what


condition = next(site for site in mutator.sites.by_span.values() if source.read_text()[site.start:site.end] == "up_i && !down_i")
down = next(site for site in mutator.sites.by_span.values() if source.read_text()[site.start:site.end] == "down_i")
known = next(mutant for mutant in mutator.mutants_by_place if mutant.kind == "missing")
print(said(f"both condition {condition.name} $1 && Limit > 3 || @{down.name} && $2.1"))
print(said(f"left-out missing {known.id}"))
print(said("gone condition 00000001 !$0"))
print(said("gone missing 00000001"))
print(said(f"gone condition {condition.name} $3"))
print(said(f"gone condition {condition.name} @00000001"))
print(said(f"quotes condition {condition.name} count_q == '0"))
END
verdict 'a list says changes without names, and is refused when a place of it is gone' "$($python "$work/lists.py" "$work/list.txt")" "both: up_i && !down_i => up_i && Limit > 3 || down_i && down_i
without count_d = count_q + Width'(1)
LIST: mutated gone: no place 00000001
LIST: mutated gone: no mutant 00000001
LIST: mutated gone: has no \$3
LIST: mutated gone: no place 00000001
LIST: mutated quotes: names count_q, no parameter"

# A block with two faults: its bench fails with the one, and cannot see the other, which changes nothing.
cat > "$work/plant.py" <<'END'
import pathlib
import re

import mutants

source = pathlib.Path("rtl/warp_sched/qsm_scoreboard.sv")
mutator, = mutants.mutators_of([("qsm_scoreboard", str(source))]).values()
found = next(mutant for mutant in mutator.mutants_by_place if mutant.kind == "operator" and re.fullmatch(r"[^()&|]* \|\| [^()&|]*", mutant.old))
place = mutator.sites.by_span[found.start, found.end, False].name
print(f"== qsm_scoreboard\nseen condition {place} !$0\nplanted condition {place} $2 || $1")
END
$python "$work/plant.py" > "$work/planted.txt"
$python tb/mutate/mutate.py prepare hand "$made" scoreboard/w3 --faults "$work/planted.txt"
mkdir -p "$made/unit/scoreboard/w3"
tb/unit/common/parameters.py build/lists/unit/scoreboard/w3.f "$made/unit/scoreboard/w3"
verilator --cc --exe --build --assert -Wno-lint -Wno-style --Mdir "$made/unit/scoreboard/w3" -o run "$PWD/$made/qsm_fault_pkg.sv" "$PWD/$made/qsm_fault.cpp" \
  -f "$made/tb/scoreboard/w3.f" "$PWD/tb/unit/scoreboard/test_scoreboard.cpp" > "$work/build.log" 2>&1 || sed 's/^/# /' "$work/build.log"
$python tb/mutate/mutate.py run "$made" --configs --reasons /dev/null > "$work/said"
verdict 'a run with a fault that no test sees fails' "$?" 1
verdict 'a run names the fault that no test sees, and no other' "$(sed -n 's/^not ok [0-9]* - qsm_scoreboard \([a-z]*\) .*: not seen$/\1/p; s/^ok [0-9]* - qsm_scoreboard \([a-z]*\) .*: unit.*/seen by its bench: \1/p' "$work/said" | sort)" "$(printf 'planted\nseen by its bench: seen')"
finish
