#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes fewer and larger files for the compiler of what Verilator has written, as it spends most of a small file's time on its headers:
# each includes files that together have up to 4 MB. That is half of the time for a GPU, whose files could not all be one: the compiler
# would need too much memory for the largest.
#   verilated_units.sh FOLDER TOP
set -euo pipefail
cd "$1"
classes=V$2_classes.mk

for kind in FAST SLOW; do
  units=$(sed -nE "/^VM_(CLASSES|SUPPORT)_$kind /,/^\$/s/^\t([^ ]*).*/\1.cpp/p" "$classes" | xargs stat -c '%s %n' |
    awk -v most=4000000 -v name="V$2__$kind" '
      n == 0 || bytes + $1 > most { n++; unit = name n; bytes = 0; print unit }
      { bytes += $1; print "#include \"" $2 "\"" >(unit ".cpp") }' | paste -sd ' ')
  printf 'VM_CLASSES_%s := %s\nVM_SUPPORT_%s :=\n' $kind "$units" $kind >>"$classes"
done
