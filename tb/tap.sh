# SPDX-License-Identifier: Apache-2.0
# For tests that are shell scripts: TAP, a scratch folder $work, and the working directory at the root of the tree.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
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

finish() { echo "1..$n"; }
