# SPDX-License-Identifier: Apache-2.0
# Simulated boards (docs/board.md): the top of fpga/BOARD with models of what it has of an FPGA and of the chips around it, as a program whose serial line
# is a pseudo terminal.
#   build/board/BOARD/CONFIG/sim       make fpga-sim BOARD=ulx3s CONFIG=NAME
# NAME as everywhere; it has an L2 and one channel.
BOARD ?= ulx3s
BOARD_CONFIG = $(if $(filter command,$(firstword $(origin CONFIG))),$(CONFIG),fpga+num_sms-1+l2_kib-16+mem_bytes-8388608)
LINK_SRCS := fpga/link/qsm_link_pkg.sv $(filter-out %_pkg.sv,$(wildcard fpga/link/*.sv))
BOARD_SRCS := $(LINK_SRCS) fpga/common/qsm_dram_steps_pkg.sv $(filter-out %_pkg.sv,$(wildcard fpga/common/*.sv))
BOARD_SIM_CXX := fpga/sim/qsm_board_sim.cpp
BOARD_BUILD_ID = $(shell cat $(RTL_SRCS) $(BOARD_SRCS) $(wildcard fpga/*/*.sv) 2> /dev/null | sha256sum | cut -c1-8)
VERILATED_OPT_board := -O2
VERILATED_FLAGS_board := $(GPU_CXXFLAGS)
VERILATED_LIBRARY_board := gpu
VERILATED_SLOW_board := slow

# Of each board: files, top of the simulation, options of Verilator and of the compiler. A simulated line is as fast as its receiver can be.
BOARD_FILES_blockram := fpga/sim/DCCA.sv fpga/sim/SGSR.sv fpga/blockram/qsm_blockram_top.sv
BOARD_TOP_blockram := qsm_blockram_top
BOARD_CLK_PER_BIT_blockram := 8
BOARD_OPTIONS_blockram = -GClkHz=25000000 -GBaud=3125000 -GMemBytes=$(call config_value,$(1),mem_bytes) -GMemLatency=$(call config_value,$(1),mem_latency)

BOARD_FILES_ulx3s := fpga/litedram/litedram.vlt fpga/sim/DCCA.sv fpga/sim/SGSR.sv fpga/sim/ecp5_cells.sv fpga/sim/qsm_dq_pads.sv fpga/sim/qsm_sdram_chip.sv fpga/ulx3s/litedram/litedram_core.v \
  fpga/ulx3s/qsm_ulx3s_top.sv fpga/sim/qsm_ulx3s_sim.sv
BOARD_TOP_ulx3s := qsm_ulx3s_sim
BOARD_CLK_PER_BIT_ulx3s := 8
BOARD_OPTIONS_ulx3s := -DQSM_SIM_TOP=qsm_ulx3s_sim -GClkfbDiv=2 -GClkopDiv=12 -GBaud=6250000
BOARD_CFLAGS_ulx3s := -DQSM_BOARD_ULX3S -DQSM_PLL_TIMES=2

BOARD_FILES_orangecrab := fpga/litedram/litedram.vlt fpga/sim/DCCA.sv fpga/sim/SGSR.sv fpga/sim/ecp5_cells.sv fpga/sim/ecp5_ddr_cells.sv fpga/sim/qsm_dq_pads.sv \
  fpga/sim/qsm_ddr3_way.sv fpga/sim/qsm_ddr3_chip.sv fpga/orangecrab/litedram/litedram_core.v fpga/orangecrab/qsm_orangecrab_top.sv fpga/sim/qsm_orangecrab_sim.sv
BOARD_TOP_orangecrab := qsm_orangecrab_sim
BOARD_CLK_PER_BIT_orangecrab := 8
# As many rows of 16 KB as the configuration's memory needs.
BOARD_OPTIONS_orangecrab = -DQSM_SIM_TOP=qsm_orangecrab_sim -GBaud=6000000 \
  -GRowW=$$(build/qsm-config $(1) | awk '$$1 == "mem_bytes" { for (n = 1; 16384 * 2 ^ n < $$2; n++); print n }')
BOARD_CFLAGS_orangecrab := -DQSM_BOARD_ORANGECRAB -DQSM_START_CYCLES=70000

config_value = $$(build/qsm-config $(1) | awk '$$1 == "$(2)" { print $$2 }')
# Of a configuration or of its file.
board_config = $(if $(wildcard build/configs/$(1).yaml),build/configs/$(1).yaml,$(1))

# $(call board_rule,BOARD)
define board_rule
build/board/$(1)/%/sim: build/cfg/%/files.f $(RTL_SRCS) $(RTL_HEADERS) $(BOARD_SRCS) $(BOARD_FILES_$(1)) $(BOARD_SIM_CXX) fpga/sim/board_top.h \
  $(call VERILATED_SHARED,board) mk/board.mk mk/rtl.mk
	echo 'Verilating the board $(1) with $$*'
	mkdir -p $$(@D)
	$(VERILATE) --exe --top-module $(BOARD_TOP_$(1)) --Mdir $(CURDIR)/$$(@D) -o $(CURDIR)/$$@ -GBuildId="32'h$$(BOARD_BUILD_ID)" \
	  $$(call BOARD_OPTIONS_$(1),$$*) -f $$< $(BOARD_SRCS) $(BOARD_FILES_$(1)) $(BOARD_SIM_CXX:%=$(CURDIR)/%) \
	  -CFLAGS '-I$(CURDIR)/fpga/sim -DQSM_CLK_PER_BIT=$(BOARD_CLK_PER_BIT_$(1)) $(BOARD_CFLAGS_$(1))'
	scripts/verilated_units.sh $$(@D) $(BOARD_TOP_$(1))
	$$(call compile_verilated,$$(@D),$(BOARD_TOP_$(1)),$(CURDIR)/$$@,board)
endef
BOARDS := blockram ulx3s orangecrab
$(foreach board,$(BOARDS),$(eval $(call board_rule,$(board))))

# What tb/board runs.
BOARD_TESTS := $(foreach bytes,1310720 $(if $(QSM_TEST_FULL),4194304),$(BOARDS:%=build/board/%/tiny+l2_kib-1+mem_bytes-$(bytes)/sim))

.PHONY: fpga-sim
fpga-sim: install-sim ## the whole BOARD simulated (blockram, ulx3s, orangecrab), its serial line a pseudo terminal build/board/tty; CONFIG=
	$(BUILD) host sw-kernels build/board/$(BOARD)/$(BOARD_CONFIG)/sim
	echo 'A program reaches the board as serial:build/board/tty, for example: build/qsm run examples/demo.yaml --backend serial:build/board/tty --config $(BOARD_CONFIG)'
	build/board/$(BOARD)/$(BOARD_CONFIG)/sim --link build/board/tty

.PHONY: fpga-suite
fpga-suite: export QSM_TEST_FULL := 1
fpga-suite: install-sim ## the suite at size S and a million cycles of random programs on the simulated boards, over their serial lines: some three hours
	$(BUILD) host sw-kernels $(BOARD_TESTS)
	tb/board/test_suite.sh

# Loads a bitstream over the board's USB; gone with the power.
BITSTREAM ?= build/fpga/$(BOARD)/$(BOARD).bit
FPGA_LOADER_orangecrab := orangeCrab
.PHONY: fpga-program litedram
fpga-program: $(STAMPS)/apt-fpga ## load BITSTREAM= into BOARD, over USB
	test -r $(BITSTREAM) || { echo 'fpga-program: no bitstream $(BITSTREAM): build it, or name another by BITSTREAM=' >&2; exit 1; }
	openFPGALoader --board $(or $(FPGA_LOADER_$(BOARD)),$(BOARD)) $(BITSTREAM)

litedram: $(STAMPS)/pip-litedram ## generate the memory controllers of the boards again -> fpga/*/litedram/litedram_core.v
	for recipe in fpga/*/litedram/*.yml; do \
	  PYTHONHASHSEED=0 build/venv/bin/python fpga/litedram/generate.py $$recipe $${recipe%/*} > build/litedram.log 2>&1 || { tail -n 20 build/litedram.log; exit 1; }; done

# Both readers over the boards, with the models of their cells; Verilator with stand-ins for the SMs (mk/lint.mk).
LINT_BOARDS := $(BOARDS:%=lint-board-%)
LINT_BOARD_CONFIG := fpga+num_sms-1+l2_kib-16
.PHONY: $(LINT_BOARDS)
$(LINT_BOARDS): lint-board-%: build/cfg/$(LINT_BOARD_CONFIG)/files.f
	$(VERILATOR_LINT) fpga/lint.vlt $(filter %.vlt,$(BOARD_FILES_$*)) $(filter -D%,$(BOARD_OPTIONS_$*)) --top-module $(BOARD_TOP_$*) $(RTL_INCLUDE) build/cfg/$(LINT_BOARD_CONFIG)/qsm_cfg_pkg.sv \
	  $(filter-out rtl/sm/%,$(RTL_SRCS)) $(LINT_STANDIN) $(BOARD_SRCS) $(filter %.sv %.v,$(BOARD_FILES_$*)) && echo 'verilator: the board $* is clean'
	cat $< > build/lint-$*.f
	printf '%s\n' $(patsubst -D%,+define+%,$(filter -D%,$(BOARD_OPTIONS_$*))) $(BOARD_SRCS) $(filter %.sv %.v,$(BOARD_FILES_$*)) >> build/lint-$*.f
	build/venv/bin/python scripts/slang_lint.py $(BOARD_TOP_$*) build/lint-$*.f --suppress-warnings $(CURDIR)/fpga/$*/litedram && echo 'slang: the board $* is clean'
