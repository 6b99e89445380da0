# SPDX-License-Identifier: Apache-2.0
# C programs: the golden model as build/libqsm_model.a, everything around it as build/libqsm_host.a, the tools on top.
# Objects are position independent because the Verilated shared objects link parts of the model (the simulated memory).
# They are built for the processor at hand (-march=native); ARCH=x86-64 makes them run elsewhere.
ifeq ($(origin CC),default)
CC := clang-19
endif
# Where there is ccache, it remembers compilations of files one by one (CCACHE= does without).
CCACHE := $(shell command -v ccache)
ARCH ?= native
MODEL_FOLDERS := c_model $(patsubst %/,%,$(wildcard c_model/*/))
CPPFLAGS := -D_GNU_SOURCE $(MODEL_FOLDERS:%=-I%) -Isim -Itb/cosim -Isw/libqsm -Isw/accounting -Isw/collocation -Isw/apps -Isw/suite -Isw/include
CFLAGS ?= -O3 -g -march=$(ARCH)
# Loops over lanes ask to be vectorised; for warps of two lanes there is nothing to vectorise.
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Werror -Wno-pass-failed
# Contraction into fused operations would make results depend on the processor.
COMPILE = $(CC) -std=c11 $(CFLAGS) -fPIC -ffp-contract=off $(WARNINGS) $(CPPFLAGS) -MMD -MP
HOST_LIBS := -lcyaml -lyaml -lsqlite3 -lcjson -ldw -lelf -ldl -lm -lpthread
FP_REF_LIBS := -lmpfr -lgmp

include sw/Makefile.inc

MODEL_SRCS := $(wildcard $(MODEL_FOLDERS:%=%/*.c))
# A file whose name ends in _main.c is a program of its own.
HOST_SRCS := $(filter-out %_main.c,$(wildcard sim/*.c)) $(wildcard sw/libqsm/*.c) $(wildcard sw/accounting/*.c) $(wildcard sw/collocation/*.c) $(wildcard sw/apps/*.c) $(SUITE_SRCS)
# The experiment on collocation; its runner has a test, too.
COLLOCATED := experiments/qsm_collocated.c experiments/qsm_collocated_counts.c
FEDCM_SRCS := experiments/fedcm.c experiments/qsm_fedcm_cases.c experiments/qsm_options.c $(COLLOCATED)
OBJECT = $(patsubst %.c,build/obj/%.o,$(1))

.PHONY: host
host: build/qsm build/qsm-config build/qsm-note

build/obj/%.o: %.c
	mkdir -p $(@D)
	$(CCACHE) $(COMPILE) -c $< -o $@

# The tools find configurations, kernels and RTL from here, wherever they are called (QSM_ROOT overrides).
build/obj/sim/%.o: CPPFLAGS += -DQSM_SOURCE_ROOT='"$(CURDIR)"'

build/libqsm_model.a: $(call OBJECT,$(MODEL_SRCS))
build/libqsm_host.a: $(call OBJECT,$(HOST_SRCS))
# For tests of the model and benches of the RTL: the reference of floating point, and operands.
build/libfp_ref.a: $(call OBJECT,tb/fp/fp_ref.c tb/fp/fp_operands.c)
build/libqsm_model.a build/libqsm_host.a build/libfp_ref.a:
	rm -f $@
	ar rcs $@ $^

build/qsm: build/obj/sim/qsm_main.o build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

# Of its own objects only, so that the RTL package of a configuration needs nothing else of the tree.
build/qsm-config: $(call OBJECT,sim/qsm_config_main.c sim/qsm_config_yaml.c sim/qsm_config_random.c sim/qsm_yaml.c c_model/qsm_config.c)
	$(CC) $(CFLAGS) $^ -lcyaml -lyaml -o $@

-include $(shell find build/obj -name '*.d' 2>/dev/null)
