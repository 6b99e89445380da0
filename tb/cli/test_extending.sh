#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tutorial of docs/extending.md, followed in a copy of this tree: its patches apply, its commands run, its policy goes through the
# lockstep, and the same lockstep finds the wrong model that the page gives at last. Patches and the sweep are taken from the page.
. "$(dirname "$0")/common.sh"
page=docs/extending.md
copy=$work/qsm
unset MAKEFLAGS MFLAGS MAKELEVEL  # of `make test`, which this may run in
# Nobody waits for fast code here. What all Verilated programs share comes from this tree.
options=(-s -j2 -o install-docs CFLAGS=-O0 GPU_KIND=slow)

# block KIND N: the N-th fenced block of this kind.
block() {
  awk -v kind="$1" -v wanted="$2" '/^```/ { if (open) open = inside = 0; else { open = 1; inside = $0 == "```" kind && ++n == wanted } next }
    inside' "$page"
}
blocks=$(grep -c '^```diff$' "$page")

step() { # WHAT COMMAND...: in the copy
  local what=$1
  shift
  (cd "$copy" && "$@") >"$work/log" 2>&1 </dev/null
  local code=$?
  verdict "$what" $code 0
  [ "$code" -eq 0 ] || tail -n 20 "$work/log" | sed 's/^/# /'
}

# found PATTERN: whether the last step said so.
found() { grep -c -e "$1" "$work/log"; }

mkdir -p "$copy"
git ls-files -z | xargs -0 cp --parents -t "$copy"
mkdir -p "$copy/build"
ln -s "$PWD/build/venv" "$PWD/build/sw" "$copy/build/"
cp -r build/verilated "$copy/build/"

# What the page has as commands, to be compared with what runs here.
commands=$(sed -n 's/^    \(make\|build\/\)/\1/p' "$page")
says() { grep -c -x -F -e "$1" <<<"$commands"; }

for ((i = 1; i < blocks; i++)); do
  block diff "$i" >"$work/step.patch"
  step "patch $i: $(sed -n 's|^+++ b/||p' "$work/step.patch")" patch -p1 --no-backup-if-mismatch -i "$work/step.patch"
done
verdict 'the page has five patches and a wrong model' "$blocks" 6
step 'make enums' make "${options[@]}" enums
verdict '`make enums` is on the page' "$(says 'make enums')" 1
step 'the enumerations are up to date' bash tb/config/test_enums.sh
verdict 'none differs' "$(found '^not ok')" 0
step 'the registers too, as no file of them has changed' bash tb/config/test_registers.sh
verdict 'none differs' "$(found '^not ok')" 0

step 'the bench builds' make "${options[@]}" build/unit/warp_sched/w3/run
step 'the bench passes' build/unit/warp_sched/w3/run
verdict 'nothing fails' "$(found '^not ok')" 0
verdict 'both are on the page' "$(says 'make build/unit/warp_sched/w3/run') $(says build/unit/warp_sched/w3/run)" '1 1'

export QSM_ROOT=$copy
fuzz=(build/qsm fuzz --config tiny --cycles 200000 --seed 100)
step 'model and RTL build' make "${options[@]}" build/qsm build/rtl/tiny.so
step 'the fuzz passes' "${fuzz[@]}" --out "$work/fuzz"
verdict 'all cycles are compared' "$(found 'compared without a difference')" 1
verdict 'both are on the page' "$(says 'make build/qsm build/rtl/tiny.so') $(says "${fuzz[*]}")" '1 2'

block yaml 1 | sed 's/^cycles: .*/cycles: 200000/; s/program: \[[^]]*\]/program: [vadd, reduce]/' >"$copy/lowest.yaml"
step 'the sweep runs' build/qsm sweep lowest.yaml --quiet
step 'the report' build/qsm report qsm-results/lowest.db --table response
verdict 'it has the policy beside GTO' "$(found '^| programs *| *GTO | *LRR | lowest |')$(found '^| vadd\|^| reduce')" 12
step 'the plot' build/qsm report qsm-results/lowest.db --plot response --out lowest.svg
verdict 'it has the policy' "$(grep -q '>lowest<' "$copy/lowest.svg"; echo $?)" 0

block diff "$blocks" >"$work/step.patch"
step 'the wrong model' patch -p1 --no-backup-if-mismatch -i "$work/step.patch"
step 'it builds' make "${options[@]}" build/qsm
(cd "$copy" && "${fuzz[@]}" --out "$work/fuzz") >"$work/log" 2>&1 </dev/null
verdict 'the same fuzz finds it' "$? $(found '^qsm: RTL and model differ: .* event ISSUE')" '1 1'
finish
