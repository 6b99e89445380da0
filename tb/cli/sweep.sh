# SPDX-License-Identifier: Apache-2.0
# For the tests of sweeps and reports.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# query DATABASE SQL...: rows as lines, columns separated by blanks.
query() {
  python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for statement in sys.argv[2:]:
    for row in db.execute(statement):
        print(*row)' "$@"
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

# In the database: runs that are done.
n_done() { query "$1" "SELECT count(*) FROM runs WHERE status <> 'waiting'"; }
# All that was measured, with names in place of numbers: every column but times.
everything() {
  local name="CASE WHEN r.reference THEN 'alone ' || r.scenario ELSE r.variant || ', ' || r.programs || ', ' || r.goal || ', ' || coalesce(r.seed, '') END"
  query "$1" \
    "SELECT $name, inputs, reference, position, status, exit_code, signal, error, config, policy, scheme, seed, cycles, energy_j, power_w FROM runs r ORDER BY 1, 3" \
    "SELECT $name, k.slot, k.name, class, a.scenario, instructions, goal_q16, reached, launches, checks_passed, checks_failed, started, finished, k.energy_j, sms_mean
      FROM runs r JOIN kernels k ON k.run = r.id LEFT JOIN runs a ON a.id = k.alone ORDER BY 1, 2" \
    "SELECT $name, slot, e.cycle, instructions, quota, counter FROM runs r JOIN epochs e ON run = id ORDER BY 1, 2, 3" \
    "SELECT $name, slot, kills, p50, p99, longest FROM runs r JOIN launch_times ON run = id ORDER BY 1, 2" \
    "SELECT $name, sm, instructions FROM runs r JOIN sms ON run = id ORDER BY 1, 2" \
    "SELECT $name, slot, e.cycle, sms, gated, opt, upper, lower FROM runs r JOIN sm_epochs e ON run = id ORDER BY 1, 2, 3"
}
# same DATABASE DATABASE: "same", or the first differences.
same() { diff <(everything "$1") <(everything "$2") >"$work/differences" && echo same || head -n 5 "$work/differences"; }
