# One instruction of each kind, without the start-up code.
  .section .text.qsm_kernel, "ax", @progbits
  .globl golden
  .type golden, @function
golden:
  csrr t0, 0xcc0
  lw a0, 8(sp)
  sh a0, -2(s0)
  amoadd.w a1, a2, (a3)
  mulhu a4, a5, a6
  bltu a0, a1, golden
  jal ra, golden
  fence
  .insn i 0x0b, 0, x0, x0, 0
  .insn i 0x0b, 1, x0, x0, 0
  fadd.s a0, a1, a2
  fcvt.w.s t0, t1, rtz
  fnmsub.s s2, s3, s4, s5, rup
  fmin.s a0, a1, a2
  .word 0xffffffff
