# SPDX-License-Identifier: Apache-2.0
# The GPU on an ECP5: synthesis, place and route (docs/fpga.md). Slow: minutes of synthesis for an SM, and more for each seed of nextpnr.
#   make fpga-pnr                              one SM behind four pins, one seed
#   make fpga BOARD=NAME NUM_SMS=4 SEEDS=4     the top of fpga/NAME/, the best of some seeds; LANES=8: of SMs of eight lanes
#   make fpga NEXTPNR=nextpnr-ecp5             with a nextpnr of your own, by path or name, in the place of the one from PyPI
#   make fpga BOARD=ulx3s MHZ=25               its PLL's output, where it has one (orangecrab: 48, 40, 36)
# Of a board: fpga/NAME/*.sv with the top qsm_NAME_top, constraints fpga/NAME/NAME.lpf, and what boards share; its GPU has an L2. FPGA_SYNTH= and FPGA_ROUTE= give more options of scripts/fpga.py.
.PHONY: fpga fpga-work fpga-pnr fpga-watch nightly fpga-build install-fpga
install-fpga: $(STAMPS)/apt-sim $(STAMPS)/pip-fpga

FPGA_SYNTH_SRCS := scripts/fpga.py scripts/ecp5.py scripts/ecp5_abc.py scripts/ecp5_pack.py $(wildcard scripts/*.v)
FPGA_PINS_SRCS := $(wildcard tb/pnr/*.sv)
FPGA_BOARDS := $(patsubst fpga/%/,%,$(dir $(wildcard fpga/*/*.lpf)))
NUM_SMS ?= 4
LANES ?= 4
SEEDS ?= 4
MHZ ?= $(or $(FPGA_MHZ_$(BOARD)),25)
FREQ ?= $(MHZ)
# Says which nextpnr it is, or that there is none, before the minutes of synthesis.
NEXTPNR ?=
FPGA_NEXTPNR = build/venv/bin/python scripts/fpga.py nextpnr $(NEXTPNR)
# Parameters of the tops, by board and clock; the serial line in whole cycles per bit. The PLL of the ULX3S: 25 MHz / ClkiDiv * ClkfbDiv, times ClkopDiv 400 to 800 MHz.
FPGA_CLOCK_ulx3s_25 := ClkiDiv=1 ClkfbDiv=1 ClkopDiv=24 Baud=1000000
FPGA_CLOCK_ulx3s_30 := ClkiDiv=5 ClkfbDiv=6 ClkopDiv=20 Baud=1000000
FPGA_CLOCK_ulx3s_40 := ClkiDiv=5 ClkfbDiv=8 ClkopDiv=16 Baud=2000000
FPGA_CLOCK_ulx3s_50 := ClkiDiv=1 ClkfbDiv=2 ClkopDiv=12 Baud=2000000
# That of the OrangeCrab: 48 MHz / ClkiDiv * ClkfbDiv is the memory's clock, twice the clock that MHZ= names.
FPGA_MHZ_orangecrab := 48
FPGA_CLOCK_orangecrab_36 := ClkiDiv=2 ClkfbDiv=3 ClkopDiv=8 Baud=1000000
FPGA_CLOCK_orangecrab_40 := ClkiDiv=3 ClkfbDiv=5 ClkopDiv=8 Baud=1000000
FPGA_CLOCK_orangecrab_48 := ClkiDiv=1 ClkfbDiv=2 ClkopDiv=6 Baud=1000000
FPGA_CLOCKS = $(patsubst FPGA_CLOCK_$(BOARD)_%,%,$(filter FPGA_CLOCK_$(BOARD)_%,$(.VARIABLES)))
FPGA_PARAMS = $(if $(FPGA_CLOCKS),$(FPGA_CLOCK_$(BOARD)_$(MHZ)) "BuildId=32'h$(BOARD_BUILD_ID)")
FPGA_CONFIG = fpga$(if $(filter 4,$(NUM_SMS)),,+num_sms-$(NUM_SMS))$(if $(filter 4,$(LANES)),,+warp_size-$(LANES))$(if $(filter pins,$(BOARD)),,+l2_kib-16)
FPGA_FOLDER = build/fpga/$(BOARD)/$(FPGA_CONFIG)$(if $(filter pins,$(BOARD)),,-$(MHZ))
FPGA_TOP = $(if $(filter pins,$(BOARD)),qsm_pnr_pins,qsm_$(BOARD)_top)
FPGA_SRCS = $(if $(filter pins,$(BOARD)),$(FPGA_PINS_SRCS),tb/pnr/lattice_cells.sv $(BOARD_SRCS) $(wildcard fpga/ecp5/*.sv fpga/$(BOARD)/*.sv fpga/$(BOARD)/litedram/*.v))
FPGA_LPF = $(if $(filter pins,$(BOARD)),,--mhz $(MHZ) --lpf $(firstword $(wildcard fpga/$(BOARD)/*.lpf)))

fpga: install-fpga ## place and route on BOARD= (a folder of fpga/, or pins), NUM_SMS= LANES= SEEDS= FREQ= (MHz) -> docs/results/fpga.json and .md
	$(if $(filter pins $(FPGA_BOARDS),$(BOARD)),,echo 'BOARD=$(BOARD): there is no fpga/$(BOARD)/*.lpf; boards: pins $(FPGA_BOARDS)' >&2; exit 1)
	$(if $(FPGA_CLOCKS),$(if $(filter $(MHZ),$(FPGA_CLOCKS)),,echo 'MHZ=$(MHZ): the clocks of $(BOARD) are $(FPGA_CLOCKS)' >&2; exit 1))
	$(FPGA_NEXTPNR)
	$(BUILD) fpga-build BOARD=$(BOARD) NUM_SMS=$(NUM_SMS)
	build/venv/bin/python scripts/fpga.py route $(FPGA_FOLDER)/netlist.json $(FPGA_FOLDER) --board $(BOARD) --num-sms $(NUM_SMS) --lanes $(LANES) --config $(FPGA_CONFIG) \
	  --seeds $(SEEDS) --freq $(FREQ) $(FPGA_LPF) $(if $(filter 2 3,$(NUM_SMS)),--floorplan fpga/ecp5/floorplan.txt) $(if $(filter pins,$(BOARD)),,--bitstream $(BITSTREAM)) --results docs/results/fpga.json $(NEXTPNR:%=--program %) $(FPGA_ROUTE)
	python3 scripts/fpga.py page docs/results/fpga.json docs/results/fpga.md

# Of all builds in the results. The memory is that of the simulated ULX3S: an access of eight words at a time (docs/board.md R-BD-8), 25 cycles each: vadd takes as many
# cycles on both.
FPGA_WORK ?= vadd matmul conv2d
FPGA_MEMORY ?= mem_latency-25+mem_interval-25
fpga-work: install-sim ## what each build in docs/results/fpga.json does in a second, by the model: FPGA_WORK= programs
	$(BUILD) build/qsm sw-kernels
	python3 scripts/fpga.py work --memory $(FPGA_MEMORY) docs/results/fpga.json $(FPGA_WORK)
	python3 scripts/fpga.py page docs/results/fpga.json docs/results/fpga.md

# Arrays of SMs with 4 or 8 lanes, beside one another: some fifteen minutes of synthesis.
FPGA_ARRAYS ?= 1x4 2x4 4x4 1x8 2x8
FPGA_ARRAY_WORK ?= vadd matmul conv2d spmv histogram pathfinder
array_config = fpga+num_sms-$(word 1,$(subst x, ,$(1)))+warp_size-$(word 2,$(subst x, ,$(1)))
array_sm = build/fpga/arrays/sm-$(word 2,$(subst x, ,$(1))).json
array_rest = build/fpga/arrays/rest-$(1).json
.PHONY: fpga-arrays
fpga-arrays: install-fpga ## sizes of FPGA_ARRAYS= (SMs x lanes) and what they do in a cycle -> docs/results/fpga_arrays.md
	$(BUILD) build/qsm sw-kernels $(foreach array,$(FPGA_ARRAYS),$(call array_sm,$(array)) $(call array_rest,$(array)))
	build/venv/bin/python scripts/fpga.py arrays docs/results/fpga_arrays.md $(foreach array,$(FPGA_ARRAYS),$(array)=$(call array_sm,$(array)),$(call array_rest,$(array))) \
	  $(FPGA_ARRAY_WORK:%=--program %)
define array_netlists
build/fpga/arrays/rest-$(1).json: build/cfg/$(call array_config,$(1))/files.f $$(RTL_SRCS) $$(RTL_HEADERS) $$(FPGA_PINS_SRCS) $$(FPGA_SYNTH_SRCS)
	build/venv/bin/python scripts/fpga.py synth $$< qsm_pnr_pins $$@ $$(FPGA_PINS_SRCS) --box qsm_sm
endef
$(foreach array,$(FPGA_ARRAYS),$(eval $(call array_netlists,$(array))))
build/fpga/arrays/sm-%.json: build/cfg/fpga+num_sms-1+warp_size-%/files.f $(RTL_SRCS) $(RTL_HEADERS) $(FPGA_SYNTH_SRCS)
	build/venv/bin/python scripts/fpga.py synth $< qsm_sm $@

fpga-pnr: NUM_SMS := 1
fpga-pnr: SEEDS := 1
fpga-pnr: FREQ := 20
fpga-pnr: install-fpga ## the same in short: one SM behind four pins, one seed, nothing written to docs/
	$(FPGA_NEXTPNR)
	$(BUILD) fpga-build BOARD=pins NUM_SMS=1
	build/venv/bin/python scripts/fpga.py route build/fpga/pins/fpga+num_sms-1/netlist.json build/fpga/pins/fpga+num_sms-1 --config fpga+num_sms-1 \
	  --num-sms 1 --seeds $(SEEDS) --freq $(FREQ) $(NEXTPNR:%=--program %) $(FPGA_ROUTE)

fpga-build: $(FPGA_FOLDER)/netlist.json
$(FPGA_FOLDER)/netlist.json: build/cfg/$(FPGA_CONFIG)/files.f $(RTL_SRCS) $(RTL_HEADERS) $(FPGA_SRCS) $(FPGA_SYNTH_SRCS)
	echo 'Synthesizing $(FPGA_TOP) with $(NUM_SMS) SMs of $(LANES) lanes; log: $(@:.json=.synth.log)'
	build/venv/bin/python scripts/fpga.py synth $(FPGA_PARAMS:%=--param %) $(FPGA_SYNTH) $< $(FPGA_TOP) $@ $(FPGA_SRCS)

# Area and clock as a habit: one SM alone, and the GPU with it behind pins, routed with one seed; fails if a figure is 2 % worse than the one that was kept.
fpga-watch: NUM_SMS := 1
fpga-watch: install-fpga ## size, levels and clock of one SM beside the last that were kept; KEEP=1 keeps these, ROUTE=no leaves the routing out
	$(BUILD) fpga-build BOARD=pins NUM_SMS=1
	$(BUILD) build/fpga/watch/sm.json
	$(if $(filter no,$(ROUTE)),,$(MAKE) fpga-pnr FREQ=25)
	build/venv/bin/python scripts/fpga.py watch docs/results/fpga_watch.json docs/results/fpga.md $(if $(filter 1,$(KEEP)),--keep) \
	  sm=build/fpga/watch/sm.json gpu=build/fpga/pins/fpga+num_sms-1/netlist.json
build/fpga/watch/sm.json: build/cfg/fpga+num_sms-1/files.f $(RTL_SRCS) $(RTL_HEADERS) $(FPGA_SYNTH_SRCS)
	echo 'Synthesizing qsm_sm; log: $(@:.json=.synth.log)'
	build/venv/bin/python scripts/fpga.py synth $(FPGA_SYNTH) $< qsm_sm $@

# What takes an hour and shows a change that costs 2 %.
nightly: area fpga-watch ## tables of area, and size and clock of one SM beside the last
