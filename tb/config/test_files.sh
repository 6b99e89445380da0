#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad configuration files: each mistake gets one line with file, line and parameter, exit code 1, and no package.
. "$(dirname "$0")/../tap.sh"

# refuses WHAT SED_SCRIPT MESSAGE: tiny, edited, is refused with the message after "qsm-config: FILE"
refuses() {
  sed "$2" configs/tiny.yaml > "$work/bad.yaml"
  build/qsm-config "$work/bad.yaml" --sv > "$work/out" 2> "$work/err"
  local code=$?
  verdict "$1" "$code $(cat "$work/err")" "1 qsm-config: $work/bad.yaml$3"
  [ ! -s "$work/out" ] || verdict "$1: prints nothing" "$(cat "$work/out")" ''
}

line=$(grep -n '^warp_size' configs/tiny.yaml | cut -d: -f1)
first=$(grep -n '^num_sms' configs/tiny.yaml | cut -d: -f1)
last=$(wc -l < configs/tiny.yaml)
refuses 'value against a rule' 's/^warp_size: 4/warp_size: 12/' ":$line: parameter 'warp_size' = 12: must be 2, 4, 8, 16 or 32"
refuses 'unknown key' 's/^warp_size:/warp_sise:/' ":$line: Unexpected key: warp_sise"
refuses 'missing key' '/^warp_size:/d' ":$((last - 1)): Missing required mapping field: warp_size"
refuses 'key given twice' 's/^warp_size: 4/num_sms: 4/' ":$first: Mapping field already seen: num_sms"
refuses 'number with a unit' 's/^warp_size: 4 /warp_size: 4 lanes/' ":$line: parameter 'warp_size' = 4 lanes: must be a plain number, 0..4294967295"
refuses 'fraction' 's/^warp_size: 4/warp_size: 4.0/' ":$line: parameter 'warp_size' = 4.0: must be a plain number, 0..4294967295"
refuses 'negative number' 's/^warp_size: 4/warp_size: -4/' ":$line: parameter 'warp_size' = -4: must be a plain number, 0..4294967295"
refuses 'number of 33 bits' 's/^warp_size: 4/warp_size: 4294967300/' ":$line: parameter 'warp_size' = 4294967300: must be a plain number, 0..4294967295"
refuses 'list' 's/^warp_size: 4/warp_size: [4, 8]/' ":$line: warp_size: Expecting STRING, got event: SEQUENCE_START"
refuses 'empty file' 'd' ':1: the file is empty'

printf '%s\n' '- 4' > "$work/list.yaml"
verdict 'list instead of a mapping' "$(build/qsm-config "$work/list.yaml" 2>&1)" "qsm-config: $work/list.yaml:1: Expecting MAPPING, got event: SEQUENCE_START"
verdict 'unknown name' "$(QSM_ROOT=$work build/qsm-config nope 2>&1)" "qsm-config: $work/configs/nope.yaml: cannot open: No such file or directory"
verdict 'names in the folder' "$(build/qsm-config --list | paste -sd ' ')" "$(cd configs && ls ./*.yaml | sed 's/\.yaml//; s/^\.\///' | paste -sd ' ')"

# refuses_name WHAT NAME MESSAGE: what is changed of a named configuration
refuses_name() {
  build/qsm-config "$2" --sv > "$work/out" 2> "$work/err"
  local code=$?
  verdict "$1" "$code $(cat "$work/err")" "1 qsm-config: configuration '$2': $3"
}
verdict 'another value' "$(diff <(build/qsm-config tiny) <(build/qsm-config tiny+num_sms-2+mem_latency-30) | grep '^>' | paste -sd ' ')" \
  '> name             tiny+num_sms-2+mem_latency-30 > num_sms          2 > mem_latency      30'
build/qsm-config tiny+num_sms-2 --yaml > "$work/tiny+num_sms-2.yaml"
verdict 'as a file' "$(build/qsm-config "$work/tiny+num_sms-2.yaml")" "$(build/qsm-config tiny+num_sms-2)"
refuses_name 'other value against a rule' tiny+warp_size-12 "parameter 'warp_size' = 12: must be 2, 4, 8, 16 or 32"
for part in num_smx-2 num_sms num_sms- num_sms-2x num_sms--2 num_sms-4294967296 num_sms-99999999999999999999 ''; do
  refuses_name "change '$part'" "tiny+$part" "'$part': must be PARAMETER-NUMBER, a parameter of docs/configuration.md"
done
verdict 'change of nothing' "$(QSM_ROOT=$work build/qsm-config nope+num_sms-2 2>&1)" "qsm-config: $work/configs/nope.yaml: cannot open: No such file or directory"
refuses_name 'too long a name' tiny+mem_latency-20+mem_latency-20+mem_latency-20+mem_latency-20 'the name of a configuration has 1..63 characters'

build/qsm-config odd --sv 2> "$work/err" > /dev/full
verdict 'package on a full disk' "$? $(cat "$work/err")" '2 qsm-config: cannot write the output: No space left on device'
build/qsm-config > /dev/null 2>&1
verdict 'no name is wrong usage' "$?" 64
build/qsm-config --random five > /dev/null 2>&1
verdict 'a seed is a number' "$?" 64
verdict 'package of odd' "$(build/qsm-config odd --sv | grep -c '^  localparam int unsigned [A-Z][A-Za-z0-9]* = [0-9]*;$')" 45
verdict 'package holds the value' "$(build/qsm-config odd --sv | grep ' WarpsPerSm ')" '  localparam int unsigned WarpsPerSm = 6;'
finish
