#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every numbered rule of the pages has a test or a proof that names it, every rule that is named is on a page, and docs/results/rules.md has all of
# them; so with the codes of decisions. Then the same with mistakes made on purpose, in a copy.
. "$(dirname "$0")/../tap.sh"

check() { # ROOT: exit code and complaints
  python3 scripts/rules.py --check "$1" >"$work/stdout" 2>"$work/stderr"
  echo "$? $(sed "s|^rules.py: ||; s|$work/||" "$work/stderr")"
}

xb=R-XB dr=R-DR  # so that this file names no rule itself
mkdir "$work/tree"
cp -r docs rtl c_model sim sw tb experiments examples configs mk scripts fpga "$work/tree"
page=$work/tree/docs/xbar.md bench=$work/tree/tb/unit/xbar/test_xbar.cpp table=$work/tree/docs/results/rules.md
# Of the copy, the files that the cases below change, as they were.
restore() { for file in docs/xbar.md docs/decisions.md docs/results/rules.md tb/unit/xbar/test_xbar.cpp tb/mutate/mutate.py; do cp "$file" "$work/tree/$file"; done; }

complains() { # WHAT COMPLAINT...: of the copy, in any order
  verdict "$1" "$(check "$work/tree" | sort)" "$(printf '1 %s\n' "${@:2}" | sed '2,$s/^1 //' | sort)"
  restore
}

verdict 'each rule is checked, and those of the table are those of the pages' "$(check .)" '0 '
verdict 'so it is in a copy' "$(check "$work/tree")" '0 '

echo "// As $xb-99 says." >>"$bench"
complains 'a rule that no page has' "tb/unit/xbar/test_xbar.cpp:$(($(wc -l <"$bench"))): $xb-99: no page defines it"
echo "// $dr-9 to $dr-11." >>"$bench"
complains 'a range that is too long' "tb/unit/xbar/test_xbar.cpp:$(($(wc -l <"$bench"))): $dr-11: no page defines it"
echo "// $dr-9, -12." >>"$bench"
complains 'a rule named by its number alone' "tb/unit/xbar/test_xbar.cpp:$(($(wc -l <"$bench"))): $dr-12: no page defines it"
echo "By $xb-98." >>"$page"
complains 'a page that names one' "docs/xbar.md:$(wc -l <"$page"): $xb-98: no page defines it"
echo "- **$xb-97 New.** Nothing." >>"$page"
complains 'a rule without a test' "docs/xbar.md: $xb-97 New: no test and no proof" "tree/docs/results/rules.md: $xb-97 of docs/xbar.md is not there: make rules"
echo "- **$xb-97 New.** Nothing. *No test: it says nothing.*" >>"$page"
complains 'one that cannot have a test' "tree/docs/results/rules.md: $xb-97 of docs/xbar.md is not there: make rules"
echo "- **$xb-97 New.** Nothing." >>"$page"
echo "// $xb-97." >>"$work/tree/tb/mutate/mutate.py"
complains 'one that is only broken on purpose' "docs/xbar.md: $xb-97 New: no test and no proof" "tree/docs/results/rules.md: $xb-97 of docs/xbar.md is not there: make rules"
echo "- **$xb-1 Again.** Something else." >>"$page"
complains 'a rule that is there twice' "docs/xbar.md:$(wc -l <"$page"): $xb-1 is defined in docs/xbar.md already"

of=B now=docs/decisions.md  # nor a decision
echo "// As ${of}98 says." >>"$bench"
complains 'a decision without an entry' "tb/unit/xbar/test_xbar.cpp:$(($(wc -l <"$bench"))): ${of}98 has no entry in $now"
echo "Of ${of}19 to ${of}22." >>"$page"
complains 'one of several' "docs/xbar.md:$(wc -l <"$page"): ${of}21 has no entry in $now" "docs/xbar.md:$(wc -l <"$page"): ${of}22 has no entry in $now"
echo "- **${of}97 New.** Nothing." >>"$work/tree/$now"
complains 'an entry that nothing names' "$now: nothing names ${of}97"
echo "- **${of}1 Again.** Nothing." >>"$work/tree/$now"
complains 'a decision that is there twice' "$now:$(wc -l <"$work/tree/$now"): ${of}1 has an entry already"
echo "| $xb-96 | Old |" >>"$table"
complains 'a table with a rule that has gone' "tree/docs/results/rules.md: $xb-96 is on no page: make rules"
rm "$table"
verdict 'no table' "$(check "$work/tree" | wc -l)" "$(grep -c '^| [IPR]-' docs/results/rules.md)"
finish
