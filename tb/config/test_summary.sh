#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The summary of all experiments is well-formed, complete, and what its script makes of it; README.md shows its top. Then summaries with mistakes made on purpose.
. "$(dirname "$0")/../tap.sh"
root=$PWD copy=$work/copy

fresh() {
  rm -rf "$copy" && mkdir -p "$copy/docs/results" "$copy/mk" "$copy/experiments"
  cp experiments/*.toml "$copy/experiments/"
  cp docs/results/summary.* docs/results/experiment_*.md "$copy/docs/results/"
  cp mk/experiments.mk "$copy/mk/"
  cp README.md "$copy/"
}

check() { # exit code, complaints
  env -C "$copy" python3 "$root/scripts/summary.py" --check >"$work/stdout" 2>"$work/stderr"
  echo "$? $(cat "$work/stderr")"
}

# complains WHAT FILE SED COMPLAINT: after this change of the copy, first.
complains() {
  fresh
  sed -i "$3" "$copy/$2"
  verdict "$1" "$(check | head -n 1)" "1 $4"
}

stale='not what `make summary` makes of experiments/*.toml and docs/results/summary.json'
fresh
verdict 'the summary of this project' "$(check)" '0 '
verdict 'an entry for each headline' "$(grep -c '"command"' docs/results/summary.json)" "$(grep -c 'metric = ' experiments/*.toml | awk -F: '{ n += $2 } END { print n }')"
verdict 'at most ten figures in README.md' "$(sed -n '/^<!-- summary/,/^<!-- \/summary/p' README.md | grep -c '^| [A-Z]' | awk '{ print ($1 > 0 && $1 <= 10) }')" 1
complains 'a figure changed by hand' docs/results/summary.md 's/88.4 %/88.5 %/' "docs/results/summary.md: $stale"
complains 'a figure of README.md changed by hand' README.md '/^<!-- summary/,/^<!-- .summary/s/88.4 %/88.5 %/' "README.md: $stale"
complains 'a README.md without a place' README.md '/^<!-- summary/d' 'README.md: no place for the summary: <!-- summary: made by `make summary` --> ... <!-- /summary -->'
complains 'an entry that is missing' docs/results/summary.json '/"goals met, Naive, small machine"/d' "docs/results/summary.json: $stale"
complains 'an experiment that is missing' docs/results/summary.json '/"make experiment-preemption"/d' 'make experiment-preemption: no entry'
complains 'a value of the paper that the experiment does not state' docs/results/summary.json '/Naive, small/s/"paper_value": 20.6/"paper_value": 20.7/' "docs/results/summary.json: $stale"
complains 'a new experiment without figures' mk/experiments.mk '$a experiment-new:' 'make experiment-new: no entry'
complains 'a command that is not there' mk/experiments.mk 's/^experiment-qaws-titanv:/experiment-qaws-titan:/' 'experiment-qaws-titanv: no such target in mk/experiments.mk'
complains 'figures of another version than the page' docs/results/experiment_qos_pairs.md 's/Commit [0-9a-f]*/Commit 1234567/' \
  "make experiment-qos: the summary has its figures of commit $(sed -n 's/.*"commit": "\([^"]*\)", "command": "make experiment-qos".*/\1/p' docs/results/summary.json | head -n 1), docs/results/experiment_qos_pairs.md has not"
complains 'a key too many' docs/results/summary.json '/until a block has left its SM, flush, mean/s/{/{"also": 1, /' 'FGQ 4.8, until a block has left its SM, flush, mean: keys are also, paper, figure, metric, unit, paper_value, ours, cases, configuration, commit, command'
complains 'text for a number' docs/results/summary.json '/Naive, small/s/"cases": [^,]*/"cases": "many"/' 'FGQ 6a, goals met, Naive, small machine: paper_value, ours and cases must be numbers or null'
complains 'a headline without a unit' experiments/qaws.toml '/"4b"/s/unit = "%", //' "experiments/qaws.toml: figure 4b: no unit"
complains 'no JSON' docs/results/summary.json '1s/.*/{/' "Expecting property name enclosed in double quotes: line 2 column 1 (char 2)"
finish
