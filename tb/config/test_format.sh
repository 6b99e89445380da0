#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# All C, C++ and SystemVerilog files are laid out as docs/style.md says (make lint-format); then files that are not.
. "$(dirname "$0")/../tap.sh"

check() { # C FILE, SV FILE: exit code, and what is said of the second
  make -s lint-format FORMAT_C_SRCS="$1" FORMAT_SV_SRCS="$2" >"$work/stdout" 2>"$work/stderr"
  echo "$? $(grep -c 'clang-format-violations' "$work/stderr") $(grep -o 'over 100 columns' "$work/stdout")"
}

verdict "all files are laid out" "$(make -s lint-format 2>&1)" "format: all C, C++ and SystemVerilog files are laid out"
cp .clang-format "$work"
cp c_model/qsm_config.h "$work/good.h"
cp rtl/sm/qsm_inject.sv "$work/good.sv"
verdict "a copy of two is" "$(check "$work/good.h" "$work/good.sv")" "0 0 "
sed 's/^  /    /' "$work/good.h" >"$work/bad.h"
verdict "one with other indents is not" "$(check "$work/bad.h" "$work/good.sv" | sed 's/ [1-9][0-9]* / N /')" "2 N "
{ cat "$work/good.sv"; printf '// %0101d\n' 0; } >"$work/bad.sv"
verdict "nor one with a long line" "$(check "$work/good.h" "$work/bad.sv")" "2 0 over 100 columns"
finish
