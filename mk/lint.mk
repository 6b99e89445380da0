# SPDX-License-Identifier: Apache-2.0
# Lint: two readers of SystemVerilog over every configuration, a second compiler over the C files.
LINT_RTL := $(CONFIGS:%=lint-verilator-%) $(CONFIGS:%=lint-slang-%)
LINT_C_SRCS = $(MODEL_SRCS) $(HOST_SRCS) $(wildcard sim/*_main.c sw/note/*.c sw/bare/*.c) fpga/litex/demo.c fpga/litex/host.c $(filter-out %_kernels.c,$(wildcard experiments/*.c))

# clang-format lays out C and C++; SystemVerilog has a limit of columns only (docs/style.md says why).
FORMAT_C_SRCS = $(shell git ls-files '*.c' '*.h' '*.cpp' '*.hpp')
FORMAT_SV_SRCS = $(shell git ls-files '*.sv' '*.svh')
CLANG_FORMAT := build/venv/bin/clang-format

.PHONY: lint lint-all lint-c lint-format format $(LINT_RTL)
lint: install-lint ## Verilator and slang over the RTL of all configurations and the boards, gcc over the C files, format of both
	$(BUILD) -k lint-all

lint-all: $(LINT_RTL) $(LINT_BOARDS) lint-litex lint-c lint-format

format: install-lint ## lay out the C and C++ files as .clang-format says, wrap long lines of pages
	$(CLANG_FORMAT) -i $(FORMAT_C_SRCS)
	python3 scripts/wrap_pages.py docs/*.md

lint-format:
	$(CLANG_FORMAT) --dry-run -Werror $(FORMAT_C_SRCS)
	awk 'length > 100 || /\t| $$/ { printf "%s:%d: over 100 columns, a tab, or a blank at its end\n", FILENAME, FNR; bad = 1 } END { exit bad }' $(FORMAT_SV_SRCS)
	echo 'format: all C, C++ and SystemVerilog files are laid out'

# Verilator reads every SM of a GPU again, which takes hours where there are many: it gets one SM, and the GPU level around stand-ins.
VERILATOR_LINT = $(VERILATOR) --lint-only -Wall $(wildcard rtl/*.vlt)
LINT_STANDIN := tb/cosim/qsm_standin.vlt tb/cosim/qsm_sm_standin.sv
# A GPU with an L2 is also one with AXI4 (docs/axi.md R-AX-2).
lint_top = $(if $(shell grep 'L2Kib = 0;' build/cfg/$(1)/qsm_cfg_pkg.sv),qsm_gpu,qsm_gpu_axi)
$(CONFIGS:%=lint-verilator-%): lint-verilator-%: build/cfg/%/files.f
	$(VERILATOR_LINT) --top-module qsm_sm -f $<
	$(VERILATOR_LINT) --top-module $(call lint_top,$*) $(RTL_INCLUDE) build/cfg/$*/qsm_cfg_pkg.sv $(filter-out rtl/sm/%,$(RTL_SRCS)) $(LINT_STANDIN) && echo 'verilator: $* is clean'

$(CONFIGS:%=lint-slang-%): lint-slang-%: build/cfg/%/files.f
	build/venv/bin/python scripts/slang_lint.py $(call lint_top,$*) $< && echo 'slang: $* is clean'

# The build itself uses clang.
lint-c:
	gcc -std=c11 -fsyntax-only -O2 $(WARNINGS) $(CPPFLAGS) -Isw/bare -Ifpga/litex -DQSM_SOURCE_ROOT='""' $(LINT_C_SRCS) && echo 'gcc: the C files are clean'
