#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The simulated board of block RAM, reached as a real one would be: programs give the outputs and take the cycles of the model, over a good and a bad line; what goes
# wrong is said, and nothing hangs.
config=tiny+l2_kib-1+mem_bytes-1310720
sim=build/board/blockram/$config/sim
. "$(dirname "$0")/common.sh"

expected=$("${saxpy[@]}" model $config | cycles)
board
verdict 'R-HL-9 to R-HL-11, R-HL-16, R-BD-6: saxpy on the board: outputs and cycles of the model' "$("${saxpy[@]}" "serial:$tty" $config 2>&1 | cycles)" "$expected"
verdict 'R-HL-13, R-HL-15: and again, after a reset of the GPU alone' "$("${saxpy[@]}" "serial:$tty,baud=1000000" $config 2>&1 | cycles)" "$expected"

# Every counter of a run of two kernels, one with a goal.
cat >"$work/pair.yaml" <<'Y'
config: tiny
policy: gto
scheme: rollover
cycles: 15000
size: S
kernels:
  - program: pc
    goal: 30%
    launches: repeat
  - program: conv2d
    launches: repeat
Y
for backend in model "serial:$tty"; do
  build/qsm run "$work/pair.yaml" --config $config --backend "$backend" --out "$work/${backend%%:*}" --quiet >"$work/log" 2>&1 || sed 's/^/# /' "$work/log"
done
# Numbers of the run but for those of the host's time, and those that only a model can tell.
counters() {
  python3 - "$1/result.json" <<'P'
import json, sys

def walk(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from walk(inner, path + [key])
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from walk(inner, path + [str(at)])
    elif isinstance(value, (int, float)):
        yield ".".join(path), value

ONLY_MODEL = ("energ", "power", "cpu_s", "cycles_per_cpu_s", "stall", "uses", "sm_record")
for name, value in walk(json.load(open(sys.argv[1])), []):
    if not any(word in name for word in ONLY_MODEL):
        print(name, value)
P
}
counters "$work/model" >"$work/of_model"
counters "$work/serial" >"$work/of_board"
verdict 'R-BD-6: two kernels under a goal: every counter of the run is that of the model' "$(diff "$work/of_model" "$work/of_board")" ''
verdict 'and those are some' "$(($(wc -l <"$work/of_board") > 40))" 1

# What is wrong is said.
saxpy_says() { timeout 120 "${saxpy[@]}" "serial:$1" "${2:-$config}" 2>&1 | head -n 1; }
wrong() { # WHAT DEVICE PATTERN [CONFIG]
  said=$(saxpy_says "$2" "${4:-$config}")
  verdict "R-HL-15: $1" "$([[ $said == *$3* ]] && echo yes || echo "$said")" yes
}
wrong 'no such device' "$work/none" "no board at $work/none: No such file or directory"
wrong 'no serial line' "$work/log" 'it is no serial line'
wrong 'no device named' '' 'no device is named'
wrong 'an option that is none' "$tty,parity=1" "'parity=1' is neither baud=N nor build=HEX"
wrong 'a speed that lines do not have' "$tty,baud=12345" 'does not take 12345 baud'
wrong 'another configuration' "$tty" 'has a configuration with hash' tiny+l2_kib-2+mem_bytes-1310720
wrong 'another build' "$tty,build=1" 'not 00000001'
wrong 'too little memory' "$tty" 'it has 1310720 bytes of memory' tiny+l2_kib-1+mem_bytes-4194304
exec 8<>"$tty"
flock 8
wrong 'in use' "$tty" 'is in use by another program'
exec 8>&-
unplug
verdict 'the simulated board ends without a failed assertion' "$code" 0

board --mute-after 0
start=$SECONDS
wrong 'nobody answers' "$tty" 'no answer from the board'
verdict 'R-HL-14, R-HL-18: and that is known soon' "$((SECONDS - start < 60))" 1
unplug

# Bytes are lost, changed, doubled and invented: all is as over a good line.
board --drop 15000 --change 15000 --twice 15000 --invent 4000
verdict 'R-HL-5, R-HL-7, R-HL-17: over a bad line: outputs and cycles of the model' "$("${saxpy[@]}" "serial:$tty" $config 2>&1 | cycles)" "$expected"
unplug

board --mute-after 4000
said=$(saxpy_says "$tty")
verdict 'R-HL-17, R-HL-18: a line that dies meanwhile' "$([[ $said == *'no answer from the board, asked 5 times'* ]] && echo yes || echo "$said")" yes
unplug

board
timeout 100 "${saxpy[@]}" "serial:$tty" $config >"$work/unplugged" 2>&1 &
program=$!
sleep 1
unplug
wait $program
verdict 'R-HL-18: unplugged: the program ends with an error' "$? $(grep -c 'the board has gone' "$work/unplugged")" '1 1'
finish
