#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Negative control of the lockstep (docs/lockstep.md R-LK-5): one flipped bit of the model in each block must end the run with a difference that names the block.
blocks="fetch issue warp_state exec tb_launch lsu xbar barrier fault quota idle_sampler tb_sched tb_alloc qos_mgr ctrl warp_sched preempt tb_save tb_adjust l1 l2 dram front"

out=build/system/inject
mkdir -p "$out"
n=0
echo "1..$(echo $blocks | wc -w)"
for block in $blocks; do
  config=odd
  [ $block = xbar ] && config=fpga  # behind an L2 what is wrong in a request shows there first
  n=$((n + 1))
  rm -f "$out/difference.txt"
  build/qsm fuzz --config $config --cycles 2000000 --seed 12 --inject "$block" --out "$out" --quiet >"$out/log" 2>&1
  code=$?
  if [ $code -eq 1 ] && grep -q "^injected: $block: " "$out/difference.txt" &&
    grep -Eq "RTL and model differ: cycle [0-9]+, block $block[ ,]" "$out/log"; then
    echo "ok $n - a flip in $block is found: $(grep -o 'cycle [0-9]*, block [a-z_]*' "$out/log" | head -n 1)"
  else
    echo "not ok $n - a flip in $block (exit code $code)"
    sed 's/^/# /' "$out/log"
    [ -f "$out/difference.txt" ] && head -n 5 "$out/difference.txt" | sed 's/^/# /'
  fi
done
