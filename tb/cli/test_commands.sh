#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the qsm command prints, against the files in tb/cli/golden, and how it takes a wrong command line.
. "$(dirname "$0")/common.sh"
golden=tb/cli/golden

# prints FILE ARGUMENTS...: ends well and prints what the file holds.
prints() {
  local file=$1
  shift
  call "$qsm" "$@"
  verdict "qsm $*" "$code $(diff "$golden/$file" "$work/stdout")" "0 "
}

prints help.txt --help
prints help.txt help
prints version.txt --version
prints kernels.txt kernels
prints apps.txt apps
prints configs.txt configs
clang-19 --target=riscv32 -march=rv32ima_zicsr_zfinx -c $golden/disasm.S -o "$work/disasm.o" && ld.lld-19 -T sw/qsm.ld -e golden "$work/disasm.o" -o "$work/disasm.elf" &&
  build/qsm-note --stack 16 "$work/disasm.elf" "$work/note" && llvm-objcopy-19 --add-section ".note.qsm=$work/note" "$work/disasm.elf" || exit 2
call "$qsm" disasm "$work/disasm.elf"
verdict "qsm disasm" "$code $(diff $golden/disasm.txt "$work/stdout")" "0 "
prints help_run.txt run --help
prints help_sweep.txt sweep --help
prints help_report.txt report --help
prints help_fuzz.txt fuzz --help
prints help_memcheck.txt memcheck --help
prints help_app.txt app --help
prints help_profile.txt profile --help
for command in run sweep report fuzz memcheck app apps kernels configs disasm; do
  call "$qsm" $command --version
  verdict "qsm $command --version" "$code $(cat "$work/stdout")" "0 $(cat $golden/version.txt)"
done

# wrong WHAT MESSAGE ARGUMENTS...: exit code 2 and this as the first line of the complaint.
wrong() {
  local what=$1 message=$2
  shift 2
  call "$qsm" "$@"
  verdict "$what" "$code $(head -n 1 "$work/stderr")" "2 $message"
}
call "$qsm"
verdict 'no command: help on stderr' "$code $(diff $golden/help.txt "$work/stderr")" '2 '
wrong 'unknown command' "qsm: unknown command 'rn'; try qsm --help" rn
wrong 'unknown option' "qsm run: unrecognized option '--cicles'" run --cicles 5 examples/tiny.yaml
wrong 'no scenario' 'qsm run: which SCENARIO.yaml?' run
wrong 'two scenarios' "qsm run: one scenario at a time, got also 'b.yaml'" run a.yaml b.yaml
wrong 'unknown backend' 'qsm run: --backend fpga: must be model, rtl, lockstep, serial:DEVICE or checked:serial:DEVICE' run --backend fpga examples/tiny.yaml
wrong 'cycles of 0' 'qsm run: --cycles 0: must be a number from 1 on' run --cycles 0 examples/tiny.yaml
wrong 'cycles with a unit' 'qsm run: --cycles 10k: must be a number from 1 on' run --cycles 10k examples/tiny.yaml
wrong 'negative seed' 'qsm run: --seed -1: must be a number from 0 on' run --seed -1 examples/tiny.yaml
wrong 'seed of more than 64 bits' 'qsm run: --seed 99999999999999999999: must be a number from 0 on' run --seed 99999999999999999999 examples/tiny.yaml
wrong 'waves of the model' 'qsm run: --waves needs --backend rtl or lockstep' run --waves examples/tiny.yaml
wrong 'injection without lockstep' 'qsm run: --inject needs --backend lockstep or checked:serial:DEVICE' run --inject quota examples/tiny.yaml
wrong 'injection into an unknown block' 'qsm run: --inject cache: no such block' run --backend lockstep --inject cache examples/tiny.yaml
wrong 'no application' 'qsm app: which APPLICATION, or --all?' app
wrong 'two applications' "qsm app: one application at a time, got also 'fft'" app fsm fft
wrong 'all applications, and one' 'qsm app: --all goes without APPLICATION' app --all fsm
wrong 'unknown size' 'qsm app: --size XL: must be T, S or M' app fsm --size XL
wrong 'unknown application' "qsm: no application 'lenet'; qsm apps lists them" app lenet
wrong 'application on an unknown configuration' "qsm: $PWD/configs/nowhere.yaml: cannot open: No such file or directory" app fsm --config nowhere
wrong 'application of floats without FPU' 'qsm: application vgg computes floats, configuration odd has no FPU' app vgg --config odd --size T
wrong 'blocks too large' 'qsm: application fsm, size S, step 0 (machine0.maps): blocks of 64 threads and 128 bytes of shared memory; an SM of configuration tiny has 16 and 4096' app fsm --config tiny
wrong 'no sweep' 'qsm sweep: which SWEEP.yaml?' sweep
wrong 'two sweeps' "qsm sweep: one sweep at a time, got also 'b.yaml'" sweep a.yaml b.yaml
wrong 'no workers' 'qsm sweep: --jobs 0: must be a number from 1 on' sweep --jobs 0 a.yaml
wrong 'too many workers' 'qsm sweep: --jobs 1025: at most 1024' sweep --jobs 1025 a.yaml
wrong 'no database' 'qsm report: which DATABASE?' report
wrong 'two databases' "qsm report: one database at a time, got also 'b.db'" report a.db b.db
wrong 'unknown table' "qsm report: --table speed: must be one of runs, errors, summary, goals, overshoot, misses, throughput, throughput_all, classes, pairs, relative, best, energy, energy_programs, response, total" \
  report --table speed a.db
wrong 'plot of words' 'qsm report: --plot errors: a table of words' report --plot errors a.db
wrong 'plot and table' 'qsm report: --plot goes without --table and --csv' report --plot goals --csv a.db
wrong 'file without a plot' 'qsm report: --out needs --plot' report --out a.svg a.db
wrong 'no program to disassemble' 'qsm disasm: which FILE.elf?' disasm
wrong 'program to disassemble missing' "qsm: $work/no.elf: cannot open" disasm "$work/no.elf"
wrong 'disassembly of something else' 'qsm: Makefile: not an ELF file' disasm Makefile
wrong 'fuzz with an argument' "qsm fuzz: unexpected argument 'tiny'" fuzz tiny
finish
