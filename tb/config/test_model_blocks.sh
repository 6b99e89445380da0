#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files of the model stand where their RTL does, and blocks of its SM write their own state only (scripts/model_blocks.py). Then the same with mistakes
# made on purpose, in a copy.
. "$(dirname "$0")/../tap.sh"

check() { # ROOT: exit code and complaints
  python3 scripts/model_blocks.py "$1" 2>"$work/stderr"
  echo "$? $(sed "s|^model_blocks.py: ||" "$work/stderr")"
}

copy() {
  rm -rf "$work/tree"
  mkdir "$work/tree"
  cp -r c_model rtl "$work/tree"
  model=$work/tree/c_model
}

complains() { # WHAT COMPLAINT: of the copy
  verdict "$1" "$(check "$work/tree")" "1 $2"
  copy
}

# add FILE STATEMENT: at the end, a function with it; its line is left in $line
add() {
  printf '%s\n' "void added(struct qsm_sm *sm, struct qsm_subcore *sc) {" "  $2" '}' >>"$model/$1"
  line=$(($(wc -l <"$model/$1") - 1))
}

verdict 'the tree' "$(check .)" '0 '
copy
verdict 'a copy' "$(check "$work/tree")" '0 '

mv "$model/sm/qsm_wipe.c" "$model"
complains 'a file in another folder than its RTL' 'c_model/qsm_wipe.c: there is no rtl/qsm_wipe.sv, and README.md does not say why'
sed -i '/^| qsm_config.c |/d' "$model/README.md"
complains 'a file without a twin that is not listed' 'c_model/qsm_config.c: there is no rtl/qsm_config.sv, and README.md does not say why'
touch "$work/tree/rtl/mem/qsm_mem.sv"
complains 'a file that is listed, and has a twin' 'c_model/README.md: mem/qsm_mem.c is listed without a twin, and has rtl/mem/qsm_mem.sv'
rm "$model/sm/qsm_code.c"
complains 'a file that is listed, and is gone' 'c_model/README.md: sm/qsm_code.c is listed without a twin, and is no file'

# The writes that there were.
add sm/qsm_subcore.c 'sm->l1->fenced |= 1u << 2;'
complains "a sub-core that writes the L1's state" "c_model/sm/qsm_subcore.c:$line: writes sm->l1->fenced, of struct qsm_l1"
add sm/qsm_subcore.c 'sm->quota.lanes[3] += 4;'
complains "a sub-core that writes the quota's" "c_model/sm/qsm_subcore.c:$line: writes sm->quota.lanes[3], of struct qsm_quota"
add warp_sched/qsm_quota.c 'sm->sub[0]->shut = 3;'
complains "a quota that writes a sub-core's" "c_model/warp_sched/qsm_quota.c:$line: writes sm->sub[0]->shut, of struct qsm_subcore"
add sm/qsm_lsu_device.c 'sc->warp[sm->lsu.n].sb.parts[sc->mem_credit]++;'
complains 'a part of the load/store unit that counts at a scoreboard' \
  "c_model/sm/qsm_lsu_device.c:$line: writes sc->warp[sm->lsu.n].sb.parts[sc->mem_credit], of struct qsm_scoreboard"
add mem/qsm_l1.c '--sm->lsu.txn[2].next;'
complains "an L1 that writes a transaction of the load/store unit's" "c_model/mem/qsm_l1.c:$line: writes sm->lsu.txn[2].next, of struct qsm_txn"
add sm/qsm_sm.c 'memset(&sc->fetch.f2, 0, 4);'
complains 'a block cleared from outside' "c_model/sm/qsm_sm.c:$line: writes sc->fetch.f2, of struct qsm_fetch"
add sm/qsm_wipe.c 'struct qsm_barrier *barrier = &sm->barrier; barrier->left[1]--;'
complains 'a write through a pointer to another block' "c_model/sm/qsm_wipe.c:$line: writes barrier->left[1], of struct qsm_barrier"
add sm/qsm_lsu_shared.c 'sm->lsu.awake = true; if (sm->save.op == 1 && sc->states.sel1 != 2) return; // sc->asleep = true'
verdict "a write of one's own, comparisons, a comment" "$(check "$work/tree")" '0 '
finish
