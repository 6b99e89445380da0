#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The committed files that come from rtl/qsm_enums.rdl are what it gives now, and a file with two values of one number or name, or with one
# that does not fit, gives none.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
n=0

verdict() { # WHAT, exit code of the check before
  n=$((n + 1))
  [ "$2" -eq 0 ] && echo "ok $n - $1" || echo "not ok $n - $1"
}

generate() { build/venv/bin/python scripts/enums.py "$1" "$2" > "$work/log" 2>&1; }

generate rtl/qsm_enums.rdl "$work/now"
verdict 'the enumerations compile' $?
sed 's/^/# /' "$work/log"
while read -r file; do
  diff -u "$file" "$work/now/$file" > "$work/diff" 2>&1
  verdict "$file is up to date (else: make enums)" $?
  sed 's/^/# /' "$work/diff"
done < <(cd "$work/now" && find . -type f | sed 's|^\./||' | sort)

refused() { # WHAT, sed command that spoils the file, word of the message
  sed "$2" rtl/qsm_enums.rdl > "$work/spoiled.rdl"
  ! cmp -s rtl/qsm_enums.rdl "$work/spoiled.rdl" && ! generate "$work/spoiled.rdl" "$work/spoiled" && grep -q "$3" "$work/log"
  verdict "$1 is refused" $?
}
refused 'a number that two values have' 's/  gto = 1 {/  gto = 0 {/' 'unique'
refused 'a name that two values have' 's/name = "s1"/name = "s0"/' 'cache_policy: two values have one name'
refused 'a value that its field has no room for' 's/  gto = 1 {/  gto = 9 {/' 'too wide\|width\|wide'
refused 'a set with a value that nobody defines' 's/policy::qaws_prose}/policy::qaws_pros}/' 'qaws_pros'
echo "1..$n"
