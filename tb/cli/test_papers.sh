#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The GPUs of the papers run two programs on the model, one with a goal, and every output of both is right.
. "$(dirname "$0")/common.sh"

# runs WHAT CONFIG SMS_OF_FIRST SMS_OF_SECOND: both programs end passes, all of them right.
runs() {
  scenario "$work/pair.yaml" "config: $2" 'scheme: rollover' 'cycles: 100000' 'size: S' 'kernels:' "  - {program: pc, goal: 50%${3:-}}" "  - {program: conv2d${4:-}}"
  call "$qsm" run --quiet --out "$work/pair" "$work/pair.yaml"
  verdict "$1" "$code $(grep '^qsm: ' "$work/stderr")$(sed -n 's/^.*"checks_\(passed\|failed\)":[[:space:]]*\([0-9]*\),$/\1 \2/p' "$work/pair/result.json" |
    sed 's/ [1-9][0-9]*$/ some/' | paste -sd ' ')" '0 passed some failed 0 passed some failed 0'
}

for config in wang2017 wang2017_56 titanv smqos rdna2; do runs "two programs on $config" $config; done
runs 'on two of its SMs' titanv+num_sms-2
runs 'on SMs of one word of the mask each, the third too' titanv ', sms: 64..79' ', sms: 0..31'
runs 'on the last SM and the first' titanv ', sms: 79..79' ', sms: 1'
finish
