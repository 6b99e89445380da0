# SPDX-License-Identifier: Apache-2.0
# For the tests of sweeps and reports.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# query DATABASE SQL: rows as lines, columns separated by blanks.
query() {
  python3 -c '
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row)' "$1" "$2"
}

# A sweep of ten runs on tiny: two schemes, two programs alone with two goals, and the two programs' references.
small_sweep() {
  scenario "$1" 'config: tiny' 'size: S' "cycles: ${2:-20000}" 'scheme: [none, rollover]' 'kernels:' '  - program: [vadd, pc]' '    goal: [50%, 90%]'
}

# What does not depend on time.
results() {
  query "$1" 'SELECT programs, variant, goal, r.seed, slot, instructions, goal_q16, reached, launches, finished FROM runs r JOIN kernels ON run = id ORDER BY 1, 2, 3, 4, 5'
  query "$1" 'SELECT programs, variant, goal, slot, e.cycle, instructions, quota, counter FROM runs JOIN epochs e ON run = id ORDER BY 1, 2, 3, 4, 5'
}
