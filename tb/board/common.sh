# SPDX-License-Identifier: Apache-2.0
# For the tests of simulated boards: one that runs, and a program that is run on it. Before it is read: $sim, the program.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
# A copy: tests that run at the same time make it, too.
flock build make --no-print-directory -C examples/saxpy >"$work/make" 2>&1
cp build/examples/saxpy build/examples/saxpy.elf "$work"
saxpy=("$work/saxpy" "$work/saxpy.elf")

# board [OPTIONS]: starts one; $tty is its line, $board its process.
board() {
  tty=$work/tty
  rm -f "$tty"
  "$sim" --link "$tty" "$@" >"$work/sim.out" 2>&1 &
  board=$!
  for _ in $(seq 200); do [ -e "$tty" ] && break; sleep 0.05; done
}
unplug() {
  kill "$board" 2>/dev/null
  wait "$board" 2>/dev/null
  code=$?
}
cycles() { sed -n 's/.*: \(.*\)/\1/p'; }
