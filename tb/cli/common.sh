# SPDX-License-Identifier: Apache-2.0
# For the tests of this folder.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
qsm=$PWD/build/qsm

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

# names ENUMERATION: as messages list them.
names() {
  awk -F ' *[|] *' -v enumeration="$1" '/^## / { inside = $0 == "## " enumeration }
    inside && $2 ~ /^[0-9]+$/ { text = text (text ? ", " : "") $3 } END { print text }' docs/enumerations.md
}
