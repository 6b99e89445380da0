#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzing for a quarter of a minute of processor time (eight minutes with QSM_TEST_FULL): the committed inputs, then new ones; the sequences of libqsm's calls on
# the RTL too, compared in every cycle with the model (a third of the committed ones, and all with QSM_TEST_FULL). A failure leaves its input in build/fuzz/failed.
. "$(dirname "$0")/../tap.sh"
export QSM_ROOT=$PWD QSM_TEST_SEED=${QSM_TEST_SEED:-1}

factor=1
[ -n "${QSM_TEST_FULL:-}" ] && factor=30
fuzz() { # TARGET SECONDS
  seen=$(tb/fuzz/fuzz.sh "$1" $((factor * $2)) cpu)
  local code=$?
  echo "# ${seen//$'\n'/ }"
  verdict "nothing fails in $1" "$code" 0
}
fuzz api 7
fuzz scenario 3
fuzz elf 2
fuzz store 3

seed=$QSM_TEST_SEED
replay() { # BACKEND COUNT EVERY: of the committed inputs one in EVERY
  echo "# QSM_TEST_SEED=$seed: build/fuzz/replay $1 --random $2 $seed, and with one in $3 of tb/fuzz/corpus/api"
  seen=$(build/fuzz/replay "$1" --random "$2" "$seed" $(ls tb/fuzz/corpus/api/* | awk -v every="$3" 'NR % every == 0'))
  local code=$?
  echo "# ${seen//$'\n'/ }"
  verdict "nothing fails on backend $1" "$code" 0
}
replay model $((factor * 100)) 1
replay lockstep $((factor * 5)) $((factor == 1 ? 3 : 1))

# The negative control: a tenant that is not so honest.
seen=$(QSM_FUZZ_DISHONEST=1 build/fuzz/replay model --random 1 1 | grep -c 'the honest tenant.s word')
verdict "a wrong result is found" "$seen" 1
finish
