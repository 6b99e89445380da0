#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Waveforms and their GTKWave save files: every signal that a save file names is in its waveform. tiny; with QSM_TEST_FULL odd as well.
. "$(dirname "$0")/../tap.sh"

# Full names of the signals in a waveform, as GTKWave writes them: a range of one bit has one index.
signals_of_wave() {
  fst2vcd -f "$1" 2>/dev/null | awk '
    /^\$enddefinitions/ { exit }
    /^\$scope/ { path[++depth] = $3 }
    /^\$upscope/ { depth-- }
    /^\$var/ {
      name = ""
      for (i = 1; i <= depth; i++) name = name path[i] "."
      range = $6 == "$end" ? "" : $6
      print name $5 (range == "[0:0]" ? "[0]" : range)
    }' | sort -u
}

# missing SAVE_FILE WAVE: the signals that the save file names and the waveform lacks.
missing() {
  signals_of_wave "$2" >"$work/have"
  sed -n 's/^+{[^}]*} //p' "$1" | sort -u >"$work/named"
  comm -23 "$work/named" "$work/have" | paste -sd ' '
}

groups() { sed -n 's/^-\(.\)/\1/p' "$1" | sort | uniq -c | awk '{ print $1 % 2 }' | sort -u; }

check() { # CONFIG
  local out=$work/$1 save=$work/$1/waves.gtkw
  build/qsm run "examples/$1.yaml" --config "$1" --backend rtl --cycles 3000 --waves --quiet --out "$out" >"$work/log" 2>&1
  verdict "$1: a run with waveforms" "$? $(cat "$work/log")" '0 '
  verdict "$1: the save file opens the waveform" "$(head -n 1 "$save")" "[dumpfile] \"$out/waves.fst\""
  verdict "$1: the waveform has every signal of it" "$(missing "$save" "$out/waves.fst")" ''
  verdict "$1: every group that begins ends" "$(groups "$save")" 0
}

check tiny
verdict 'the groups' "$(sed -n '/^@[8c]00200/{n;s/^-//p}' "$work/tiny/waves.gtkw" | paste -sd ,)" \
  'SM 0 issue,SM 0 policies with groups,SM 0 quota counters,Epoch,TB scheduler,blocks of SM 0,Preemption,Memory'
sed 's/timer\.cnt_q\[19:0\]/timer.cnt_q[18:0]/; s/u_quota\.refill_due/u_quota.refill_du/' "$work/tiny/waves.gtkw" >"$work/wrong.gtkw"
verdict 'wrong names are noticed' "$(missing "$work/wrong.gtkw" "$work/tiny/waves.fst")" \
  'TOP.qsm_cosim.u_gpu.u_qos_mgr.u_timer.cnt_q[18:0] sm0.qsm_sm_block.u_sm.u_quota.refill_du'

# Signals of an SM and some cycles of them take more than the limit, the writer's own files less.
call_limited() { bash -c 'trap "" XFSZ; ulimit -f 600; exec "$@"' - "$@" >"$work/log" 2>&1; }
call_limited build/qsm run examples/tiny.yaml --backend rtl --cycles 5000 --waves --quiet --out "$work/full"
verdict 'a waveform that fills the disk' "$? $(cat "$work/log") $(ls "$work/full")" "3 qsm: cannot write $work/full/waves.fst: the waveform is not complete "

# Ctrl-C ends the waveform with the run.
env --default-signal=INT build/qsm run examples/tiny.yaml --backend rtl --cycles 1000000 --waves --out "$work/cut" >"$work/out" 2>"$work/log" &
run=$!
while kill -0 $run 2>/dev/null && ! grep -q 'rollover: ' "$work/log"; do sleep 0.02; done
sleep 0.3
kill -INT $run
wait $run
verdict 'Ctrl-C leaves a whole waveform and its save file' "$? $(ls "$work/cut" | grep waves | paste -sd ' ') $(missing "$work/cut/waves.gtkw" "$work/cut/waves.fst")" \
  '130 waves.fst waves.gtkw '

check_difference() { # COMMAND OPTION...: the command, with a flipped bit
  local out=$work/$1-flipped
  build/qsm "$@" --inject quota --quiet --out "$out" >"$work/log" 2>&1
  verdict "$1: a difference is reported" $? 1
  verdict "$1: with a save file for its waveform" "$(head -n 1 "$out/difference.gtkw")" "[dumpfile] \"$out/difference.fst\""
  verdict "$1: the waveform has every signal of it" "$(missing "$out/difference.gtkw" "$out/difference.fst")" ''
  verdict "$1: and a name for it" "$(sed -n 's/^qsm: waveform of the cycles around it: //p' "$work/log")" "gtkwave $out/difference.gtkw"
}

check_difference run examples/tiny.yaml --backend lockstep --cycles 20000
check_difference fuzz --config tiny --seed 11
[ -n "${QSM_TEST_FULL:-}" ] && check odd
finish
