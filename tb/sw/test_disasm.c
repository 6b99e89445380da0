// SPDX-License-Identifier: Apache-2.0
// qsm_disasm against LLVM's disassembler, over whole programs and random words. Where docs/isa.md
// allows less than RISC-V (no LR/SC, read-only CSRs ...) the word must be called illegal.
//
//   test_disasm CLANG OBJDUMP N_WORDS [ELF ...]      SEED=number in the environment replays a run
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "qsm_disasm.h"

static const char *clang, *objdump;
static unsigned long n_words;
static int n_elfs;
static char **elfs;

// SplitMix64.
static uint32_t random_word(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}

// Names of the CSRs that exist, as docs/isa.md lists them, by number.
static const char *csr_name(unsigned long number) {
  switch (number) {
    case 0xC00: return "cycle";
    case 0xC80: return "cycleh";
    case 0xCC0: return "tid";
    case 0xCC1: return "ctaid.x";
    case 0xCC2: return "ctaid.y";
    case 0xCC3: return "ctaid.z";
    case 0xCC4: return "ntid.x";
    case 0xCC5: return "ntid.y";
    case 0xCC6: return "ntid.z";
    case 0xCC7: return "nctaid.x";
    case 0xCC8: return "nctaid.y";
    case 0xCC9: return "nctaid.z";
    case 0xCCA: return "lane";
    case 0xCCB: return "smid";
    case 0xCCC: return "arg";
    case 0xCCD: return "hwtid";
    case 0xCCE: return "slot";
    case 0xCCF: return "mask";
    case 0xCD0: return "warpsize";
    case 0xCD1: return "ticket";
    default: return NULL;
  }
}

static int starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void set_illegal(uint32_t word, char *expected, size_t n) {
  snprintf(expected, n, ".word 0x%08x # illegal", (unsigned)word);
}

// csrrs and its kin: legal only as a read of a CSR that exists.
static void expect_csr(uint32_t word, const char *theirs, char *expected, size_t n) {
  const char *name = csr_name(word >> 20);
  char mnemonic[16], rd[8];
  int writes = starts_with(theirs, "csrrw") || (word >> 15 & 31) != 0;
  if (writes || name == NULL || sscanf(theirs, "%15s %7[^,]", mnemonic, rd) != 2) {
    set_illegal(word, expected, n);
  } else {
    snprintf(expected, n, "%s %s, %s, %s", mnemonic, rd, name,
             strchr(mnemonic, 'i') != NULL ? "0" : "zero");
  }
}

// What qsm_disasm should print where LLVM prints `theirs` (tabs already blanks, symbols cut off).
static void expect(uint32_t word, const char *theirs, char *expected, size_t n) {
  static const char *const refused[] = {"fmv.x.w", "fmv.w.x", "flw",      "fsw",  "lr.w",
                                        "sc.w",    "fence.i", "mret",     "sret", "uret",
                                        "wfi",     "unimp",   "<unknown>"};
  if (word == 0x0000000B || word == 0x0000100B) {
    snprintf(expected, n, "%s", word == 0x0000000B ? "qsm.bar" : "qsm.exit");
    return;
  }
  if (starts_with(theirs, "csrr")) {
    expect_csr(word, theirs, expected, n);
    return;
  }
  if ((word & 0x707F) == 0x0F) {  // I-ISA-3: the other fields are ignored
    snprintf(expected, n, "fence");
    return;
  }
  int is_shift =
      starts_with(theirs, "slli ") || starts_with(theirs, "srli ") || starts_with(theirs, "srai ");
  if (is_shift && (word >> 25 & 1) != 0) {  // LLVM prints shifts by 32 .. 63, which only RV64 has
    set_illegal(word, expected, n);
    return;
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    if (starts_with(theirs, refused[i])) {
      set_illegal(word, expected, n);
      return;
    }
  }
  snprintf(expected, n, "%s", theirs);
}

// Line of objdump: "  ADDRESS: WORD  <tab>text". Returns 0 for lines that are no instruction.
static int parse_line(char *line, uint32_t *pc, uint32_t *word, char **text) {
  char *end;
  *pc = (uint32_t)strtoul(line, &end, 16);
  if (end == line || *end != ':') return 0;
  char *digits = end + 1 + strspn(end + 1, " ");
  *word = (uint32_t)strtoul(digits, &end, 16);
  if (end - digits != 8) return 0;
  *text = end + strspn(end, " \t");
  (*text)[strcspn(*text, "\n")] = 0;
  for (char *c = *text; *c != 0; c++) {
    if (*c == '\t') *c = ' ';
  }
  char *symbol = strstr(*text, " <");
  if (symbol != NULL) *symbol = 0;
  return 1;
}

// Compares every instruction of a file; returns how many there were.
static unsigned long compare_file(const char *path) {
  char command[1024], line[512];
  snprintf(command, sizeof command,
           "%s -d -M no-aliases --no-print-imm-hex --mattr=+m,+a,+zicsr,+zifencei,+zfinx '%s'",
           objdump, path);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  unsigned long n_compared = 0;
  while (fgets(line, sizeof line, pipe) != NULL) {
    uint32_t pc, word;
    char *theirs, ours[128], expected[512];
    if (!parse_line(line, &pc, &word, &theirs)) continue;
    expect(word, theirs, expected, sizeof expected);
    size_t length = qsm_disasm(pc, word, ours, sizeof ours);
    assert_int_equal(length, strlen(ours));
    if (strcmp(ours, expected) != 0) {
      fail_msg("%08x: %08x: \"%s\", expected \"%s\"", (unsigned)pc, (unsigned)word, ours, expected);
    }
    n_compared++;
  }
  assert_int_equal(pclose(pipe), 0);
  return n_compared;
}

static void programs_agree_with_llvm(void **state) {
  (void)state;
  for (int i = 0; i < n_elfs; i++) assert_true(compare_file(elfs[i]) > 30);
}

// A word of a known opcode, with fields that often have a meaning.
static uint32_t likely_word(uint64_t *rng) {
  static const uint8_t opcodes[] = {0x03, 0x0B, 0x0F, 0x13, 0x17, 0x23, 0x2F, 0x33, 0x37, 0x63,
                                    0x67, 0x6F, 0x73, 0x53, 0x53, 0x43, 0x47, 0x4B, 0x4F};
  static const uint8_t fp_funct7[] = {0x00, 0x04, 0x08, 0x0C, 0x2C, 0x10,
                                      0x14, 0x50, 0x60, 0x68, 0x70, 0x78};
  uint32_t word = random_word(rng), choice = random_word(rng);
  word = (word & ~0x7Fu) | opcodes[(choice & 0xFFFF) % sizeof opcodes];
  if ((word & 0x7F) == 0x53 &&
      (choice >> 28) != 15) {  // operations that exist, and rs2 that mean one
    word = (word & 0x01FFFFFF) | (uint32_t)fp_funct7[choice % sizeof fp_funct7] << 25;
    return choice >> 31 ? word : (word & ~(30u << 20));
  }
  switch (choice >> 28) {
    case 0:
    case 1:
    case 2: return word & 0x01FFFFFF;  // funct7 = 0
    case 3:
    case 4: return (word & 0x01FFFFFF) | 0x02000000;  // the M extension
    case 5:
    case 6: return (word & 0x01FFFFFF) | 0x40000000;                   // sub, sra
    case 7: return (word & 0x07FFFFFF) | (choice & 0x7) << 29;         // AMOs
    case 8: return (word & 0x00007FFF) | (0xCC0 + choice % 20) << 20;  // CSR reads
    case 9: return (word & 0x000FFFFF) | (0xCC0 + choice % 20) << 20;
    case 10: return (word & 0x7F) | (choice & 0x3000);  // bare opcodes
    default: return word;
  }
}

static void random_words_agree_with_llvm(void **state) {
  (void)state;
  const char *text = getenv("SEED");
  uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : 1, rng = seed;
  printf("           replay with SEED=%llu\n", (unsigned long long)seed);
  char object[] = "/tmp/qsm_disasm_XXXXXX", command[512];
  int file = mkstemp(object);
  assert_true(file >= 0);
  close(file);
  snprintf(command, sizeof command,
           "%s --target=riscv32 -march=rv32ima_zicsr -c -x assembler - -o %s", clang, object);
  FILE *assembler = popen(command, "w");
  assert_non_null(assembler);
  for (unsigned long i = 0; i < n_words; i++)
    fprintf(assembler, ".word 0x%08x\n", (unsigned)likely_word(&rng));
  assert_int_equal(pclose(assembler), 0);
  unsigned long n_compared = compare_file(object);
  unlink(object);
  assert_int_equal(n_compared, n_words);
}

// Lengths other than 32 bits and opcodes that the machine does not have, which LLVM's listing would
// not keep in step.
static void foreign_opcodes_are_illegal(void **state) {
  (void)state;
  static const uint8_t foreign[] = {0x07, 0x1B, 0x27, 0x2B, 0x3B, 0x57, 0x5B, 0x6B, 0x77, 0x7B};
  uint64_t rng = 2;
  for (int i = 0; i < 10000; i++) {
    uint32_t word = random_word(&rng);
    if (i % 4 == 3)
      word = (word & ~0x7Fu) | foreign[(word >> 8) % sizeof foreign];
    else if (i % 4 == 2)
      word |= 0x1F;
    else
      word &= ~(i % 4 == 0 ? 1u : 2u);
    char ours[128], expected[64];
    set_illegal(word, expected, sizeof expected);
    qsm_disasm(0x80000000, word, ours, sizeof ours);
    assert_string_equal(ours, expected);
  }
}

static void short_buffers_are_cut_not_overrun(void **state) {
  (void)state;
  char buf[8];
  memset(buf, '#', sizeof buf);
  assert_int_equal(qsm_disasm(0, 0x00000013, buf, 5), strlen("addi zero, zero, 0"));
  assert_memory_equal(buf, "addi\0###", sizeof buf);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: test_disasm CLANG OBJDUMP N_WORDS [ELF ...]\n");
    return 2;
  }
  clang = argv[1];
  objdump = argv[2];
  n_words = strtoul(argv[3], NULL, 0);
  n_elfs = argc - 4;
  elfs = argv + 4;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_agree_with_llvm),
      cmocka_unit_test(random_words_agree_with_llvm),
      cmocka_unit_test(foreign_opcodes_are_illegal),
      cmocka_unit_test(short_buffers_are_cut_not_overrun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
