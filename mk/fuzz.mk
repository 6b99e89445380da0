# SPDX-License-Identifier: Apache-2.0
# Fuzzing of what takes things from outside (tb/fuzz): libqsm's calls, scenario and sweep files, device programs, result databases. libFuzzer,
# with the address and undefined-behaviour sanitizers; objects apart in build/fuzz/. Random programs in lockstep are `make fuzz`.
FUZZ_TARGETS := api scenario elf store
FUZZ_CC := clang-19
FUZZ_CFLAGS := -O2 -g -march=$(ARCH) -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# The model and the suite are no targets: counting their branches would take half of the time. So they are those of `make sanitize`, if its
# compiler is the same.
FUZZ_COVERAGE := -fsanitize=fuzzer-no-link
FUZZ_NO_TARGETS := $(MODEL_SRCS) $(SUITE_SRCS)
$(FUZZ_NO_TARGETS:%.c=build/fuzz/obj/%.o): FUZZ_COVERAGE :=
FUZZ_OBJECT = $(patsubst %.c,build/fuzz/obj/%.o,$(1))
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=build/fuzz/fuzz_%)
FUZZ_INPUTS := build/fuzz/kernels.elf build/fuzz/big.elf build/fuzz/cut.elf
TIME ?= 600
TARGET ?= api

.PHONY: fuzz-api
fuzz-api: install-sim ## libFuzzer on libqsm's calls, or on TARGET=scenario, elf, store; TIME=600 seconds
	$(BUILD) build/fuzz/fuzz_$(TARGET) $(FUZZ_INPUTS)
	tb/fuzz/fuzz.sh $(TARGET) $(TIME)

build/fuzz/obj/%.o: %.c mk/fuzz.mk
	mkdir -p $(@D)
	$(CCACHE) $(FUZZ_CC) -std=c11 $(FUZZ_CFLAGS) $(FUZZ_COVERAGE) -fPIC -ffp-contract=off $(WARNINGS) $(CPPFLAGS) -MMD -MP -c $< -o $@
build/fuzz/obj/sim/%.o: CPPFLAGS += -DQSM_SOURCE_ROOT='"$(CURDIR)"'

build/fuzz/libqsm.a: $(call $(if $(filter $(FUZZ_CC),$(CC)),SAN_OBJECT,FUZZ_OBJECT),$(FUZZ_NO_TARGETS)) $(call FUZZ_OBJECT,$(filter-out $(SUITE_SRCS),$(HOST_SRCS)))
	rm -f $@
	ar rcs $@ $^

build/fuzz/fuzz_%: build/fuzz/obj/tb/fuzz/fuzz_%.o $(call FUZZ_OBJECT,tb/fuzz/api.c tb/fuzz/input_file.c) build/fuzz/libqsm.a
	$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer $^ $(HOST_LIBS) -o $@

build/fuzz/replay: $(call OBJECT,tb/fuzz/replay.c tb/fuzz/api.c) build/libqsm_host.a build/libqsm_model.a
	mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

build/fuzz/kernels.elf: tb/fuzz/kernels.c $(SW_DEVICE)
	mkdir -p $(@D)
	sw/bin/qsm-cc --stack jump=64 --stack overflow=256 $< -o $@
build/fuzz/big.elf: tb/cli/kernels.c $(SW_DEVICE)
	mkdir -p $(@D)
	sw/bin/qsm-cc -DROOM=80000 $< -o $@
build/fuzz/cut.elf: build/fuzz/kernels.elf
	head -c 2000 $< > $@

test-build: $(FUZZ_PROGRAMS) $(FUZZ_INPUTS) build/fuzz/replay

-include $(shell find build/fuzz -name '*.d' 2>/dev/null)
