#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The files that qsm-cc writes (docs/programming.md, P-ELF-1 to P-ELF-5): programs of the suite, and some that have what those lack.
. "$(dirname "$0")/common.sh"
readelf=llvm-readelf-19

# elf OPTION PROGRAM: what readelf says of it, which is asked for once.
elf() {
  local kept=$work/said/${2##*/}$1
  [ -f "$kept" ] || $readelf "$1W" "$2" >"$kept"
  cat "$kept"
}
mkdir "$work/said"

# A value of a program's symbol, in hexadecimal without prefix.
symbol() { elf -s "$1" | awk -v name="$2" '$8 == name { print $2 }'; }
# Address and size in memory of the program headers of a kind, with their flags: "80000000 104 RE".
headers() { elf -l "$1" | awk -v kind="$2" '$1 == kind { print substr($3, 3), substr($6, 3), $7 $8 }' | sed 's/0x.*//'; }

position_independent() { # says what of P-ELF-1 does not hold
  elf -h "$1" | grep -q 'Type: *DYN ' || echo 'no ET_DYN'
  elf -d "$1" | grep -q 0x && echo 'a dynamic section'
  elf -r "$1" | grep -qi 'no relocations' || echo 'relocations'
}

segments() { # P-ELF-2
  local address size flags window_1
  read -r address size flags < <(headers "$1" LOAD)
  [ "$flags" = RE ] || echo "first segment $flags"
  window_1=$(printf '%08x' $(((0x$address + 0x$size + 4095) / 4096 * 4096 + 4096)))
  [ "$(symbol "$1" __qsm_data_start)" = "$window_1" ] || echo "window 1 not at $window_1"
  headers "$1" LOAD | tail -n +2 | while read -r address size flags; do
    [ "$address $flags" = "$window_1 RW" ] || echo "second segment $flags at $address"
  done
}

shared_bytes() { # P-ELF-3
  local address size flags symbol
  read -r address size flags < <(headers "$1" TLS)
  symbol=$(symbol "$1" __qsm_shared_bytes)
  [ $((0x$size)) -eq $((0x$symbol)) ] || echo "$size bytes of TLS, the symbol says $symbol"
  [ $((0x$symbol % 16)) -eq 0 ] || echo "$symbol shared bytes, no multiple of 16"
}

entry() { # P-ELF-4
  [ "$(elf -h "$1" | sed -n 's/.*Entry point address: *0x//p')" = "$(symbol "$1" _start)" ] || echo 'entry is not _start'
}

kernels() { # P-ELF-4: the global functions between the two symbols; "" keeps awk from taking 800000e4 for a number
  local from to
  from=$(symbol "$1" __qsm_kernels_start) to=$(symbol "$1" __qsm_kernels_end)
  elf -s "$1" | awk -v from="$from" -v to="$to" '$4 == "FUNC" && $5 == "GLOBAL" && $2 "" >= from "" && $2 "" < to "" { print $8 }' | sort | paste -sd ' '
}

note() { # P-ELF-5: its head, and counts that add up to its size
  local words n
  llvm-objcopy-19 --dump-section ".note.qsm=$work/note" "$1" /dev/null 2>"$work/stderr" || { echo 'no note'; return; }
  read -ra words < <(od -An -v -tu4 -w65536 "$work/note")
  n=$((16 + 32 * words[5] + 16 * words[6] + words[7]))
  [ "${words[*]:0:5}" = "4 $n 1 7172977 1" ] || echo "head ${words[*]:0:5}, counts ask for $n bytes"
  [ "$(stat -c %s "$work/note")" -eq $((16 + n)) ] || echo "not $n bytes"
  [ "${words[5]}" -eq "$(kernels "$1" | wc -w)" ] || echo "${words[5]} kernels"
  elf -S "$1" | grep -E ' \.note\.qsm +NOTE +00000000 ' >"$work/section" || echo 'section'
  elf -S "$1" | grep -o ' \.stack_sizes'
}

# Of the suite's programs every third one, and all with QSM_TEST_FULL.
every() { # WHAT CHECK: of each program
  local program found=
  for program in $(ls build/sw/*.elf | awk -v every="$([ -n "${QSM_TEST_FULL:-}" ] && echo 1 || echo 3)" 'NR % every == 0') "$work"/*.elf; do
    found+=$($2 "$program" | sed "s|^|${program##*/}: |")
  done
  verdict "$1" "$found" ''
}

cat >"$work/whole.c" <<'C'
#include <qsm.h>
int n_calls = 3;
__shared__ int tile[5];
__attribute__((noinline)) int twice(int x) { return 2 * x; }
static __attribute__((noinline)) int own(int x) { return x + n_calls; }
__global__ void first(int *p) { *p = twice(tile[*p]); }
__global__ void second(int *p) { *p = own(*p); }
C
echo '#include <qsm.h>
__global__ void only(int *p) { *p = 1; }' >"$work/least.c"
for program in whole least; do sw/bin/qsm-cc "$work/$program.c" -o "$work/$program.elf" || exit 2; done
sw/bin/qsm-cc "$work/whole.c" --base 0x90003000 -o "$work/elsewhere.elf" || exit 2

verdict 'the programs of the suite are there' "$([ "$(ls build/sw/*.elf | wc -l)" -gt 50 ] && echo yes)" yes
every 'P-ELF-1: no relocations, no dynamic section' position_independent
every 'P-ELF-2: code, a free page, data' segments
every 'P-ELF-3: shared bytes, in TLS and as a symbol' shared_bytes
every 'P-ELF-4: entry is _start' entry
every 'P-ELF-5: a note of all kernels' note
verdict 'P-ELF-1: the link address is that of --base' "$(headers "$work/elsewhere.elf" LOAD | head -n 1 | cut -d ' ' -f 1)" 90003000
verdict 'P-ELF-2: data have a segment, no data none' "$(headers "$work/whole.elf" LOAD | wc -l) $(headers "$work/least.elf" LOAD | wc -l)" '2 1'
verdict 'P-ELF-3: 20 bytes of shared variables take 32' "$(symbol "$work/whole.elf" __qsm_shared_bytes)" 00000020
verdict 'P-ELF-4: kernels are between their symbols, other functions are not' "$(kernels "$work/whole.elf"), $(kernels "$work/least.elf")" 'first second, only'
# The checks see a program that is otherwise: ld.lld's own layout.
printf '.globl _start\n_start: nop\n .globl second\nsecond: nop\n.data\n.word second\n' >"$work/plain.S"
${CLANG:-clang-19} --target=riscv32 -march=rv32im -nostdlib -fuse-ld=lld -Wl,-pie "$work/plain.S" -Wl,--defsym=__qsm_data_start=0,--defsym=__qsm_shared_bytes=8 -Wl,-e,second -o "$work/plain" || exit 2
verdict 'another linker script is noticed' "$(for check in position_independent segments shared_bytes entry note; do [ -n "$($check "$work/plain")" ] && echo $check; done | paste -sd ' ')" 'position_independent segments shared_bytes entry note'
finish
