#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every figure of the pages can be drawn, every link and every name of a file leads to one, no line is too long. Then pages with mistakes made on purpose.
. "$(dirname "$0")/../tap.sh"

folder=$work/docs
mkdir "$folder"

docs() { # SOURCE...: exit code, complaints
  build/venv/bin/python scripts/docs.py "$@" "$work/html" >"$work/stdout" 2>"$work/stderr"
  echo "$? $(sed "s|^$folder/||" "$work/stderr")"
}

page() { # TEXT: a page with this only
  printf '# Page\n\n%s\n' "$1" >"$folder/page.md"
  docs "$folder"
}

figure() { # KIND SOURCE
  page "$(printf '```%s\n%s\n```' "$1" "$2")"
}

verdict 'the pages of this project' "$(docs docs README.md)" '0 '
verdict 'a timing diagram' "$(figure wavedrom "{signal: [{name: 'a', wave: '03.', data: ['x']}]}") $(grep -c '<figure><svg' "$work/html/$folder/page.html" 2>/dev/null)" '0  1'
verdict 'a graph' "$(figure dot 'digraph { a -> b }') $(grep -c '<figure><svg' "$work/html/$folder/page.html")" '0  1'
verdict 'rows of different lengths' "$(figure wavedrom "{signal: [{name: 'a', wave: '01'}, {name: 'b', wave: '011'}]}")" \
  '1 page.md: wavedrom figure: rows of [2, 3] cycles'
verdict 'a value that is missing' "$(figure wavedrom "{signal: [{name: 'a', wave: '034', data: ['x']}]}")" \
  '1 page.md: wavedrom figure: row a: 2 values in the wave, 1 in data'
verdict 'a letter that means nothing' "$(figure wavedrom "{signal: [['g', {name: 'a', wave: '0?'}]]}")" '1 page.md: wavedrom figure: row a: wave 0?'
verdict 'no signals' "$(figure wavedrom '{sgnal: []}')" '1 page.md: wavedrom figure: no signals'
verdict 'a source that ends early' "$(figure wavedrom '{signal: [' | cut -c 1-26)" '1 page.md: wavedrom figure'
verdict 'a graph with a mistake' "$(figure dot 'digraph { a -> }')" "1 page.md: dot figure: Error: <stdin>: syntax error in line 1 near '}'"
verdict 'a link to nowhere' "$(page 'See [that](nowhere.md).')" '1 page.md: no such file: nowhere.md'
verdict 'a file that is not there' "$(page 'In `rtl/qsm_nothing.sv`, as `configs/NAME.yaml`, `rtl/sm/` and `tb/model/test_l1`.')" \
  '1 page.md: no such file: rtl/qsm_nothing.sv'
verdict 'a long line' "$(page "$(printf 'word %.0s' {1..30})")" "1 page.md: line 3 has more than 120 characters: scripts/wrap_pages.py $folder/page.md"
verdict 'a long line of a generated page' "$(page "$(printf 'Made by a script; do not edit.\n\n%s' "$(printf 'word %.0s' {1..30})")")" '0 '
verdict 'a long row of a table' "$(page "| $(printf 'word %.0s' {1..30}) |")" '0 '
python3 scripts/wrap_pages.py "$folder/page.md"
verdict 'a table stays as it is' "$(docs "$folder") $(wc -l <"$folder/page.md")" '0  3'
page "- $(printf 'word %.0s' {1..40})" >/dev/null
python3 scripts/wrap_pages.py "$folder/page.md"
verdict 'an item is wrapped' "$(docs "$folder") $(grep -c '^  word' "$folder/page.md") $(grep -o word "$folder/page.md" | wc -l)" '0  1 40'
finish
