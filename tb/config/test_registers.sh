#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The committed files that come from rtl/qsm_regs.rdl are what it gives now, and docs/control_port.md has the same addresses.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
n=0

verdict() { # WHAT, exit code of the check before
  n=$((n + 1))
  [ "$2" -eq 0 ] && echo "ok $n - $1" || echo "not ok $n - $1"
}

build/venv/bin/python scripts/registers.py rtl/qsm_regs.rdl "$work" > "$work/log" 2>&1
verdict 'the map compiles' $?
sed 's/^/# /' "$work/log"
for file in rtl/qsm_regs_pkg.sv c_model/qsm_regs.h docs/registers.md; do
  diff -u "$file" "$work/$file" > "$work/diff" 2>&1
  verdict "$file is up to date (else: make registers)" $?
  sed 's/^/# /' "$work/diff"
done

# The page's first columns, such as "| 0x0C | SM_MASK_LO, 0x10 SM_MASK_HI |", and the header, both as lines "ADDRESS NAME".
grep '^| 0x' docs/control_port.md | sed 's/ + [0-9]*\*k//; s/^| \(0x[0-9A-F]*\) | /\1 /' | cut -d'|' -f1 | tr ',' '\n' \
  | while read -r address name _; do echo "$((address)) $name"; done > "$work/page"
smsel_base=$((0x100))
sed -n 's/^#define QSM_\(REG\|SMSEL\|SLOT\)_\([A-Z0-9_]*\)  *\(0x[0-9a-f]\{4\}\)u\(  \/\/.*\)\?$/\1 \2 \3/p' c_model/qsm_regs.h | grep -v -E ' (BASE|STRIDE) ' \
  | while read -r group name address; do
      if [ "$group" = SMSEL ]; then echo "GPU $((smsel_base + address)) SMSEL_$name"; else echo "${group/REG/GPU} $((address)) $name"; fi
    done | sort -s -k1,1 -k2,2n | cut -d' ' -f2- > "$work/header"
[ -s "$work/page" ] && diff "$work/page" "$work/header" > "$work/diff"
verdict 'docs/control_port.md lists the same registers in the same order' $?
sed 's/^/# /' "$work/diff"
echo "1..$n"
