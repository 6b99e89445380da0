# SPDX-License-Identifier: Apache-2.0
# build/fast/qsm: the tools once more, for long runs. Optimised as a whole (-flto) by a profile of the runs in mk/training/, which
# an instrumented build makes; what that gives is in docs/performance.md. One command compiles all: a changed file changes the profile.
FAST_SRCS := $(HOST_SRCS) $(MODEL_SRCS)
FAST_MAIN := sim/qsm_main.c
FAST_TRAINING := $(wildcard mk/training/*.yaml)
PROFDATA ?= llvm-profdata-19

.PHONY: fast
fast: install-sim ## build/fast/qsm: the same command, faster by a profile of its own
	$(BUILD) build/fast/qsm

# What tb/portability/ compares in `make test-full`.
test-build: $(if $(QSM_TEST_FULL),build/fast/qsm)

# Lines are enough of debugging information, which takes an eighth of the time when all is compiled at once.
build/fast/instrumented: FAST_FLAGS := -g0 -fprofile-generate
# The linker says of each loop over two lanes that it is not vectorised (host.mk): as a warning, and what is found of it on standard output.
build/fast/qsm build/fast/fedcm: FAST_FLAGS := -g1 -flto -fprofile-use=build/fast/qsm.profdata -fuse-ld=lld -Wl,--no-warnings
build/fast/qsm build/fast/fedcm: build/fast/qsm.profdata
# The experiment on collocation runs for hours, too.
build/fast/fedcm: private FAST_MAIN := $(FEDCM_SRCS)
build/fast/fedcm: private FAST_FLAGS += -Wno-backend-plugin
# Profiles are of clang, whatever CC is.
build/fast/%: override CC := clang-19

build/fast/instrumented build/fast/qsm build/fast/fedcm: $(FAST_SRCS) sim/qsm_main.c $(FEDCM_SRCS) $(wildcard */*.h */*/*.h */*/*.inc) mk/fast.mk mk/host.mk
	mkdir -p $(@D)
	$(COMPILE) -MF $@.d $(FAST_FLAGS) -DQSM_SOURCE_ROOT='"$(CURDIR)"' $(FAST_SRCS) $(FAST_MAIN) $(HOST_LIBS) -o $@ > /dev/null

# A changed kernel does not ask for another profile.
build/fast/qsm.profdata: build/fast/instrumented $(FAST_TRAINING) | sw-kernels
	rm -rf build/fast/training
	for scenario in $(FAST_TRAINING); do \
	  LLVM_PROFILE_FILE=build/fast/training/$$(basename $$scenario).profraw build/fast/instrumented run $$scenario --quiet --out build/fast/training/run --overwrite \
	    || { echo "the training run $$scenario of build/fast/qsm failed" >&2; exit 1; }; \
	done
	$(PROFDATA) merge -o $@ build/fast/training/*.profraw
