# SPDX-License-Identifier: Apache-2.0
# The golden model and all around it by other compilers and without optimisation, for tb/portability/: the same results, bit by bit.
PORTABLE := build/portable/clang-O0/qsm build/portable/gcc-O0/qsm build/portable/gcc-O3/qsm
test-build: $(if $(QSM_TEST_FULL),$(PORTABLE),$(filter-out %/gcc-O0/qsm,$(PORTABLE)))
test test-full: $(STAMPS)/apt-lint

build/portable/clang-O0/qsm: CFLAGS := -O0 -march=$(ARCH)
build/portable/gcc-O0/qsm: CFLAGS := -O0 -march=$(ARCH)
build/portable/gcc-O3/qsm: CFLAGS := -O3 -march=$(ARCH)
build/portable/gcc-%: CC := gcc

$(PORTABLE): sim/qsm_main.c $(HOST_SRCS) $(MODEL_SRCS) $(wildcard */*.h c_model/*/*.h sw/*/*.h) mk/portability.mk
	mkdir -p $(@D)
	$(COMPILE) -MF $@.d -DQSM_SOURCE_ROOT='"$(CURDIR)"' $(filter %.c,$^) $(HOST_LIBS) -o $@
