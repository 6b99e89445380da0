#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is made of mutated.sv, and that Verilator reads all of it at once.
. "$(dirname "$0")/../tap.sh"

PYTHONPATH=tb/mutate build/venv/bin/python - "$work/mutated.sv" > "$work/list" <<'END'
import pathlib
import sys

import mutants

(path, made), = mutants.mutants_of("mutated", "tb/mutate/mutated.sv", ("mutate",)).items()
pathlib.Path(sys.argv[1]).write_text(mutants.mutated(path.read_text(), made))
for mutant in made:
    print(mutant.line, f"{mutant.kind}: {mutant.what}")
END
verdict 'mutants of a small module' "$(cat "$work/list")" "$(cat tb/mutate/mutated.txt)"

echo 'package qsm_fault_pkg; int awake; function automatic logic on(input int fault); return awake == fault; endfunction endpackage' > "$work/package.sv"
verdict 'all mutants are SystemVerilog' "$(verilator --lint-only -Wno-lint -Wno-style --top-module mutated "$work/package.sv" "$work/mutated.sv" 2>&1)" ''
verdict 'all mutants are in the text' "$(grep -o "on('h[0-9a-f]*)" "$work/mutated.sv" | sort -u | wc -l)" "$(wc -l < "$work/list")"
finish
