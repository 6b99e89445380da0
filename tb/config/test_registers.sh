#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The committed files that come from rtl/qsm_regs.rdl are what it gives now, and have the addresses that the unit bench of the
# control port keeps by hand.
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
for file in $(cd "$work" && find rtl c_model docs -type f | sort); do
  diff -u "$file" "$work/$file" > "$work/diff" 2>&1
  verdict "$file is up to date (else: make registers)" $?
  sed 's/^/# /' "$work/diff"
done

# The bench's rows, such as {"ID", 0x00, ...} of the GPU's table and the slots', {"quota", 31, "SMSEL_QUOTA", 0x108, ...} of the figures', and
# the header's, both as lines "GROUP NAME ADDRESS".
sed -n 's/^inline std::vector<Register> kGpuRegisters.*/group REG/p; s/^inline std::vector<Register> kSlotRegisters.*/group SLOT/p
        s/^constexpr Figure kFigures.*/group REG/p; s/^ *{"[a-z0-9_]*", [0-9]*, "\([A-Z0-9_]*\)", \(0x[0-9A-F]*\)[,}].*/\1 \2/p
        s/^ *{"\([A-Z0-9_]*\)", \(0x[0-9A-F]*\),.*/\1 \2/p' tb/unit/ctrl/ctrl_ref.h \
  | while read -r name value; do
      if [ "$name" = group ]; then group=$value; else echo "$group $name $((value))"; fi
    done | sort > "$work/bench"
sed -n 's/^#define QSM_\(REG\|SLOT\)_\([A-Z0-9_]*\)  *\(0x[0-9a-f]\{4\}\)u\(  .*\)*$/\1 \2 \3/p' c_model/qsm_regs.h | grep -v -E ' (BASE|STRIDE) ' \
  | while read -r group name address; do echo "$group $name $((address))"; done > "$work/header"
base=$(sed -n 's/^#define QSM_SMSEL_BASE *\(0x[0-9a-f]*\)u$/\1/p' c_model/qsm_regs.h)
sed -n 's/^#define QSM_\(SMSEL_[A-Z0-9_]*\)  *\(0x[0-9a-f]\{4\}\)u$/\1 \2/p' c_model/qsm_regs.h | grep -v -E 'BASE|STRIDE' \
  | while read -r name offset; do echo "REG $name $((base + offset))"; done >> "$work/header"
sort -o "$work/header" "$work/header"
[ "$(wc -l < "$work/bench")" -ge 85 ] && [ -z "$(comm -23 "$work/bench" "$work/header")" ]
verdict 'the addresses are those that tb/unit/ctrl/ctrl_ref.h keeps by hand' $?
comm -23 "$work/bench" "$work/header" | sed 's/^/# /'
echo "1..$n"
