# SPDX-License-Identifier: Apache-2.0
# For the tests of this folder: the programs of build/san/ (mk/sanitize.mk), and how long they run. What other tests check without
# sanitizers runs here for a part of the time, each kind of run and of code once; all of it with QSM_TEST_FULL.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
qsm=build/san/qsm
export CMOCKA_MESSAGE_OUTPUT=TAP QSM_ROOT=$PWD
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1  # no exit code of the programs themselves
cycles=20000 fuzz_cycles=100000 every=7
[ -n "${QSM_TEST_FULL:-}" ] && cycles=300000 fuzz_cycles=5000000 every=1
[ -z "${QSM_TEST_FULL:-}" ] && export QSM_TEST_BRIEF=1  # tests that repeat what they do on many machines do it on few

# runs WHAT CODE COMMAND...: the command ends with this code.
runs() {
  local what=$1 expected=$2
  shift 2
  "$@" >"$work/log" 2>&1 </dev/null
  local code=$?
  n=$((n + 1))
  [ "$code" -eq "$expected" ] && echo "ok $n - $what" && return
  echo "not ok $n - $what"
  echo "# $*: exit code $code instead of $expected"
  tail -n 30 "$work/log" | sed 's/^/# /'
}

# c_tests FOLDER...: all of theirs.
c_tests() {
  local source name
  for source in $(printf 'tb/%s/test_*.c ' "$@"); do
    name=${source#tb/} name=${name%.c}
    runs "C test $name" 0 "build/san/tests/$name"
  done
}

# beside_pc CONFIG PROGRAM: the scenario of the program under a goal beside `pc`.
beside_pc() {
  printf '%s\n' "config: $1" 'scheme: rollover' 'epoch: 5000' "cycles: $cycles" 'size: S' 'kernels:' "  - program: $2" \
    '    goal: 30%' '  - name: other' '    program: pc'
}
