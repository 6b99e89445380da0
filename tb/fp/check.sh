#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Many operands for the floating-point units, on all cores: check.sh OPERANDS SHARDS SEED BENCH...
# Of each operation and rounding mode so many; prints a page of them with their failures. Replay of a failure: the remark before it.
set -euo pipefail

operands=$1 shards=$2 seed=$3
shift 3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

for bench in "$@"; do
  for ((shard = 0; shard < shards; shard++)); do printf '%s %s\n' "$bench" "$shard"; done
done | xargs -P "$shards" -L 1 bash -c '"$1" "'"$seed"'" "'"$operands"'" "$2" "'"$shards"'" > "'"$out"'/$(basename "$(dirname "$(dirname "$1")")").$2" || true' run

cat "$out"/* | awk -v benches="$(($# * shards))" '
  /^#.*(replay|, not )/ && !/^# seed/ { print }
  /^(not )?ok .* operands, .* failures/ {
    name = $0; sub(/^(not )?ok [0-9]+ - /, "", name); sub(/:.*/, "", name)
    n = $(NF - 3); wrong = $(NF - 1)
    if (!(name in operands)) order[++count] = name
    operands[name] += n; failures[name] += wrong; total += n; all += wrong
    next
  }
  /^not ok/ { print; other++ }
  /^1\.\./ { ended++ }
  END {
    for (i = 1; i <= count; i++) {  # one row per operation: "fadd.s rne" .. "fadd.s rmm"
      split(order[i], word, " ")
      if (word[1] != row) { if (row) end_row(); row = word[1]; modes = ""; least = operands[order[i]]; bad = 0 }
      modes = modes (modes ? ", " : "") (word[2] ? word[2] : "-")
      if (operands[order[i]] < least) least = operands[order[i]]
      bad += failures[order[i]]
    }
    if (row) end_row()
    printf "\n%d operations with their modes, %d operands, %d failures.\n", count, total, all
    if (ended != benches) { print "a bench did not end"; exit 1 }
    exit all + other != 0
  }
  function end_row() { printf "| `%s` | %s | %d | %d |\n", row, modes, least, bad }
  BEGIN {
    print "# Floating point against MPFR\n"
    print "Written by `make fp-check`, seed '"$seed"': the RTL units of [../fpu.md](../fpu.md), operands biased towards the hard cases.\n"
    print "| operation | rounding modes | operands for each | failures |\n| --- | --- | ---: | ---: |"
  }'
