# SPDX-License-Identifier: Apache-2.0
# Tests. Layers are lists of commands that speak TAP; scripts/run_tests.sh runs them and counts (tb/README.md):
#   C tests        tb/FOLDER/test_*.c, with the other C files of the folder, cmocka and the archives
#   scripts        tb/FOLDER/test_*.sh
#   unit benches   targets of tb/unit/NAME/NAME.core
#   software       sw/Makefile.inc
# TESTS=WORD runs only those whose name has the word in it.
TESTS ?=
# Tests of the whole machine open the RTL of these. The large ones, which take minutes to compile, are for `make test-full`.
TEST_CONFIGS ?= tiny fpga demo odd $(if $(QSM_TEST_FULL),wang2017 $(MANY_SMS) $(PAPERS))
MANY_SMS := tiny+num_sms-70+qos_lat-500
PAPERS := $(patsubst %,%+num_sms-2,wang2017_56 titanv smqos) rdna2+num_sas-2+num_sms-4

# Unit benches of `make test-full` alone: of each block the others are the smallest, an odd and for some the largest sizes. A new bench is in
# both without being named here.
FULL_BENCHES := axi/narrow axi/whole axi/wide ctrl/tiny ctrl/wang2017 energy/tiny energy/wang2017 idle_sampler/k8s4w16 l1/eight_ways l2/eight_ways \
  mem_split/most mem_split/two preempt/most preempt_check/many qos_mgr/wang2017 quota/k4s4w32 sm_mgr/eight sm_mgr/fpga sm_mgr/tiny sm_mgr/two \
  sm_owner/titanv sm_preempt/tiny split_select/wang2017 tb_adjust/fpga tb_adjust/many tb_adjust/most tb_adjust/wang2017 tb_alloc/fpga tb_alloc/wang2017 \
  tb_sched/three tb_sched/wang2017 tb_trial/many warp_sched/w16 warp_sched/w6 xbar/demo
$(if $(UNIT_NAMES),$(foreach bench,$(filter-out $(UNIT_NAMES),$(FULL_BENCHES)),$(error mk/test.mk: FULL_BENCHES has $(bench), and no manifest does)))
TEST_BENCHES := $(if $(QSM_TEST_FULL),$(UNIT_BENCHES),$(filter-out $(FULL_BENCHES:%=build/unit/%/run),$(UNIT_BENCHES)))

# The tests of sw/ need more than the archives: sw/Makefile.inc builds them.
C_TEST_SRCS := $(filter-out tb/sw/%,$(wildcard tb/*/test_*.c))
C_TESTS := $(C_TEST_SRCS:tb/%.c=build/tests/%)
SCRIPT_TESTS := $(wildcard tb/*/test_*.sh)
c_test_helpers = $(filter-out tb/$(1)/test_%,$(wildcard tb/$(1)/*.c))

# Test files may be relaxed about one thing: cmocka's own macros convert between integer types.
build/obj/tb/%.o: WARNINGS += -Wno-conversion
build/obj/tb/%.o: CPPFLAGS += -Itb/fp -Iexperiments

# Files of other folders that a test needs.
ATTACKS := experiments/qsm_attacks.c
HELPERS_host/test_attacks := $(ATTACKS)
HELPERS_host/test_genes := experiments/qsm_genes.c
TENANTS := experiments/qsm_tenants.c experiments/qsm_rings.c experiments/qsm_hostile.c
HELPERS_host/test_accounting_gpu := $(TENANTS)
HELPERS_host/test_collocated := $(COLLOCATED)

# Device programs that the tests of libqsm take, each with what qsm-cc is told.
HOST_PROGRAMS := $(patsubst %,build/host_programs/%.elf,k big plain workers streams)
build/host_programs/k.elf: QSM_CC_OPTIONS := -DROOM=64
build/host_programs/big.elf: QSM_CC_OPTIONS := -DROOM=80000
build/host_programs/workers.elf: QSM_CC_OPTIONS := --workers
build/host_programs/k.elf build/host_programs/big.elf: tb/cli/kernels.c $(SW_DEVICE)
build/host_programs/plain.elf build/host_programs/workers.elf: tb/cli/workers_kernels.c $(SW_DEVICE) $(SW_WORKERS)
build/host_programs/streams.elf: tb/cli/stream_kernels.c $(SW_DEVICE)
$(HOST_PROGRAMS):
	mkdir -p $(@D)
	CLANG=$(CLANG) LLD=$(LLD) sw/bin/qsm-cc $(QSM_CC_OPTIONS) $< -o $@
$(patsubst tb/%.c,build/tests/%,$(wildcard tb/host/test_*.c)) $(patsubst tb/%.c,build/san/tests/%,$(wildcard tb/host/test_*.c)): | $(HOST_PROGRAMS)

define c_test_rule
build/tests/$(1): build/obj/tb/$(1).o $(call OBJECT,$(call c_test_helpers,$(patsubst %/,%,$(dir $(1)))) $(HELPERS_$(1))) build/libqsm_host.a build/libqsm_model.a build/libfp_ref.a
	mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$^ -lcmocka $$(HOST_LIBS) $$(FP_REF_LIBS) -o $$@
endef

$(foreach test,$(C_TEST_SRCS:tb/%.c=%),$(eval $(call c_test_rule,$(test))))

# The tests of sw/ take arguments; its script reports in cmocka's words.
SW_TEST_PROGRAMS := $(SW_TESTS) build/sw/device_test.elf
define SW_TEST_COMMANDS
build/sw/test_suite build/sw$(if $(QSM_TEST_FULL), large)
build/sw/test_device build/sw/device_test.elf
build/sw/test_isa
build/sw/test_math
build/sw/test_elf build/sw/device_test.elf $(if $(QSM_TEST_FULL),100000,3000)
build/sw/test_arguments $(if $(QSM_TEST_FULL),100,2)
build/sw/test_disasm $(CLANG) $(OBJDUMP) $(if $(QSM_TEST_FULL),1000000,20000) $(SUITE_ELFS) build/sw/device_test.elf
set -o pipefail; tb/sw/test_qsm_cc.sh | sed 's/^ *OK /ok - /; s/^ *FAILED /not ok - /'
endef

# One command per line. Those that take longest come first, so that no processor waits for the last of them.
LONG_TESTS := $(filter tb/sanitize/% tb/formal/% tb/system/% tb/mutate/% tb/cli/test_extending.sh,$(SCRIPT_TESTS))
define TEST_COMMANDS
$(subst $(space),$(newline),$(strip $(LONG_TESTS)))
$(SW_TEST_COMMANDS)
$(subst $(space),$(newline),$(strip $(C_TESTS) $(filter-out tb/sw/% $(LONG_TESTS),$(SCRIPT_TESTS)) $(TEST_BENCHES)))
endef
space := $(subst ,, )
define newline


endef

build/tests.list: FORCE
	mkdir -p $(@D)
	$(file > $@.all,$(TEST_COMMANDS))
	grep -e '$(TESTS)' $@.all > $@ || { echo "no test's name has '$(TESTS)' in it" >&2; exit 1; }

.PHONY: test test-full test-build
test-build: host sw-kernels $(SW_TEST_PROGRAMS) $(C_TESTS) $(TEST_BENCHES) build/preempt_cost build/preempt_kernels.elf build/attack_kernels.elf build/hostile_kernels.elf build/hostile_search build/microbench build/micro_kernels.elf build/loga build/channels build/fedcm $(TEST_CONFIGS:%=build/rtl/%.so) build/rtl/axi.so $(BOARD_TESTS) $(LITEX_TESTS) build/mutate/hand/root/build/rtl/tiny.so build/tests.list

# What cannot be built does not keep the rest from being tested: its tests then fail.
BUILD_TESTS = -+$(MAKE) -k $(if $(filter -j%,$(MAKEFLAGS)),,-j$(CPUS)) test-build

test: install-sim install-docs $(STAMPS)/pip-lint ## all tests, within 15 minutes on two cores; TESTS=WORD for some
	$(BUILD_TESTS)
	scripts/run_tests.sh build/tests.list build/test-logs

test-full: export QSM_TEST_FULL := 1
test-full: install-sim install-docs $(STAMPS)/pip-lint $(STAMPS)/pip-cocotb $(STAMPS)/apt-litex $(STAMPS)/pip-litex ## the same with large inputs and long random runs
	$(BUILD_TESTS)
	scripts/run_tests.sh build/tests.list build/test-logs

.PHONY: test-slurm
test-slurm: export QSM_TEST_FULL := 1
test-slurm: install-sim ## sweeps on a cluster of four nodes on this machine (Debian's slurm-wlm and munge), some of them lost
	$(BUILD) build/qsm sw-kernels
	tb/slurm/test_nodes.sh

# What tb/cores/ and tb/netlist/ run.
test test-full: $(STAMPS)/pip-cores $(STAMPS)/pip-area

# The benches of the floating-point units, and the model, with more operands than `make test` has time for.
FP_OPERANDS ?= 10000000
FP_BENCHES := $(patsubst %,build/unit/%/rtl/run,fp_simple fp_fma fp_div)
.PHONY: fp-check
fp-check: install-sim ## floating-point units and model against MPFR, 10 million operands (FP_OPERANDS=) per operation and rounding mode -> docs/results/fp_check.md; SEED=
	$(BUILD) $(FP_BENCHES) build/tests/model/test_fpu
	set -o pipefail; QSM_TEST_SEED=$(SEED) QSM_FP_OPERANDS=$(FP_OPERANDS) build/tests/model/test_fpu | tee build/fp_model.log
	set -o pipefail; { tb/fp/check.sh $(FP_OPERANDS) $(CPUS) $(SEED) $(FP_BENCHES) && \
	  printf '\nThe model: %s, all as MPFR has them.\n' "$$(sed -n 's/^# \([0-9]* results.*\);.*/\1/p' build/fp_model.log)"; } | tee build/fp_check.md
	cp build/fp_check.md docs/results/
