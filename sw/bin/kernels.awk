# SPDX-License-Identifier: Apache-2.0
# Part of qsm-cc: rewrites kernels in the LLVM assembly of a source, between the compiler's two halves. A kernel keeps
# no registers, as nobody is behind it who wants them: each return becomes qsm.exit, and the function becomes what
# interprocedural register allocation lets use all registers (internal, not recursive, address not taken; the linker
# sees its name all the same). A kernel that another function calls, or that is no `void f(...)`, stays as it is.
# The file is read twice: awk -f kernels.awk FILE FILE

function name_of(line) {
  match(line, /@[-a-zA-Z$._0-9]+\(/)
  return substr(line, RSTART, RLENGTH - 1)
}

# Names after the first, in lines of code: uses.
function note_uses(line) {
  while (match(line, /@[-a-zA-Z$._0-9]+/)) {
    used[substr(line, RSTART, RLENGTH)] = 1
    line = substr(line, RSTART + RLENGTH)
  }
}

FNR == 1 { reading++ }

reading == 1 {
  if (/^define /) {
    if (/^define (dso_local |hidden |protected |internal )*void @/ && / section "\.text\.qsm_kernel"/ && !/, \.\.\.\)/)
      kernels[name_of($0)] = 1
  } else if (!/^@llvm\.(compiler\.)?used = /)
    note_uses($0)
  next
}

/^@llvm\.(compiler\.)?used = / { next }  # everything in it stays: nothing is removed any more

/^define / {
  name = name_of($0)
  inside = name in kernels && !(name in used)
  if (inside) {
    if (!/^define [a-z_ ]*internal /) globals = globals "module asm \".globl " substr(name, 2) "\"\n"
    sub(/^define .*void @/, "define internal void @")
    match($0, /\(.* #[0-9]+ section/)
    parameters = substr($0, RSTART, RLENGTH)
    sub(/\)[^)]* #[0-9]+ section$/, ")", parameters)
    callers = callers "define weak hidden void @qsm.caller." substr(name, 2) parameters " section \".text.qsm_caller\" {\n  call void " name parameters "\n  unreachable\n}\n"
    match($0, / #[0-9]+ section/)
    group = substr($0, RSTART + 2, RLENGTH - 10)
    sub(/ #[0-9]+ section/, " #" group + 1000000 " section")
    groups[group] = 1
  }
}

inside && /^  ret void/ {
  place = substr($0, 11)
  print "  call void asm sideeffect \".insn i 0x0b, 1, x0, x0, 0\", \"\"()" place
  print "  unreachable" place
  next
}

/^attributes #/ {
  group = substr($2, 2)
  if (group in groups) {
    line = $0
    sub("#" group, "#" group + 1000000, line)
    sub(/\{/, "{ norecurse", line)
    print line
  }
}

{ print }

/^}/ { inside = 0 }

END { printf "%s%s", callers, globals }
