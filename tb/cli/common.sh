# SPDX-License-Identifier: Apache-2.0
# For the tests of this folder: TAP, a scratch folder $work, and the working directory at the root of the tree.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
qsm=$PWD/build/qsm
n=0

verdict() { # WHAT SEEN EXPECTED
  n=$((n + 1))
  if [ "$2" = "$3" ]; then
    echo "ok $n - $1"
  else
    printf 'not ok %d - %s\n' "$n" "$1"
    printf 'expected: %s\nseen:     %s\n' "$3" "$2" | sed 's/^/# /'
  fi
}

# Runs a command; its exit code is in $code, what it said in $work/stdout and $work/stderr.
call() {
  "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
  code=$?
}

# refuses WHAT CODE MESSAGE COMMAND...: ends with this code and exactly this complaint, a line on stderr.
refuses() {
  local what=$1 expected=$2 message=$3
  shift 3
  call "$@"
  verdict "$what" "$code $(grep '^qsm: ' "$work/stderr")" "$expected qsm: $message"
}

# scenario FILE LINE...: writes a scenario of these lines.
scenario() {
  local file=$1
  shift
  printf '%s\n' "$@" >"$file"
}

finish() { echo "1..$n"; }
