# SPDX-License-Identifier: Apache-2.0
# The netlist that is placed, Verilated with models of the ECP5's cells and compared with the model (docs/netlist.md). CONFIG is one of those that
# `make fpga` has: fpga, or another in its place. Slow: the synthesis takes minutes, and so does the compiler.
#   build/fpga/pins/NAME/netlist.json   the netlist of tb/pnr, which nextpnr places
#   build/netlist/NAME/netlist.v        the same, cell by cell (scripts/netlist.py)
#   build/netlist/NAME.so               make netlist CONFIG=NAME
NETLIST_CONFIG = $(if $(filter command,$(firstword $(origin CONFIG))),$(CONFIG),fpga+num_sms-1)
NETLIST_CELLS := $(wildcard tb/netlist/*.sv)
# Yosys' own models of cells; where its share folder is, Python knows.
YOSYS_CELLS = $(wildcard build/venv/lib/python3*/site-packages/pyosys/share/lattice)
# For negative controls: NETLIST_OPTIONS="--break lut:N" flips a bit of a LUT4, ff:N the reset value of a flip-flop; give another BUILD_NETLIST= then.
NETLIST_OPTIONS ?=
BUILD_NETLIST ?= build/netlist
NETLIST_CYCLES = $(if $(filter command,$(firstword $(origin CYCLES))),$(CYCLES),1000000)

.PHONY: netlist netlist-lockstep
netlist: install-fpga ## the netlist of CONFIG (fpga+num_sms-1), Verilated
	$(BUILD) $(BUILD_NETLIST)/$(NETLIST_CONFIG).so

netlist-lockstep: install-fpga ## random programs on netlist and model in lockstep, CYCLES= SEED= CONFIG= (fpga+num_sms-1)
	$(BUILD) build/qsm build/netlist/$(NETLIST_CONFIG).so
	build/qsm fuzz --netlist --config $(NETLIST_CONFIG) --cycles $(NETLIST_CYCLES) --seed $(SEED) --out build/netlist/fuzz

build/fpga/pins/%/netlist.json: build/cfg/%/files.f $(RTL_SRCS) $(RTL_HEADERS) $(FPGA_PINS_SRCS) $(FPGA_SYNTH_SRCS)
	echo 'Synthesizing qsm_pnr_pins with $*; log: $(@:.json=.synth.log)'
	build/venv/bin/python scripts/fpga.py synth $(FPGA_SYNTH) $< qsm_pnr_pins $@ $(FPGA_PINS_SRCS)

$(BUILD_NETLIST)/%/netlist.v: build/fpga/pins/%/netlist.json scripts/netlist.py
	mkdir -p $(@D)
	build/venv/bin/python scripts/netlist.py $< $@ --inputs in_q --outputs out_q --before out $(NETLIST_OPTIONS)

# What flip-flops and memories hold at first, and what x means, is drawn anew by each run (R-NL-4).
NETLIST_VERILATE = $(VERILATOR) --cc --exe --assert --x-assign unique --x-initial unique -Wno-lint -Wno-style -Wno-fatal -Werror-USERERROR -Werror-USERFATAL -DNO_INCLUDES -DQSM_NETLIST \
  -DQSM_GPU=qsm_netlist_gpu -DQSM_GPU_PATH=u_gpu --output-split 20000 --output-split-cfuncs 2000 -CFLAGS '$(GPU_CXXFLAGS)'
$(BUILD_NETLIST)/%.so: $(BUILD_NETLIST)/%/netlist.v build/cfg/%/files.f $(NETLIST_CELLS) $(COSIM_DEPENDS) $(call VERILATED_SHARED,gpu) mk/netlist.mk
	echo 'Verilating the netlist of $*'
	grep '^+\|_pkg.sv$$' build/cfg/$*/files.f > $(@:.so=)/packages.f
	$(NETLIST_VERILATE) --top-module qsm_cosim --Mdir $(CURDIR)/$(@:.so=)/obj -o $(CURDIR)/$@ -f $(@:.so=)/packages.f $(COSIM_PACKAGES) \
	  tb/cosim/qsm_axil_checker.sv tb/cosim/qsm_port_monitor.sv $(NETLIST_CELLS) $(wildcard tb/netlist/*.vlt) -I$(YOSYS_CELLS) $(YOSYS_CELLS)/cells_sim_ecp5.v \
	  $(@:.so=)/netlist.v tb/cosim/qsm_cosim.sv $(GPU_CXX) -CFLAGS '-DQSM_NETLIST $(MODEL_FOLDERS:%=-I$(CURDIR)/%) -I$(CURDIR)/tb/cosim' \
	  -LDFLAGS '-shared $(CURDIR)/build/libqsm_model.a'
	scripts/verilated_units.sh $(@:.so=)/obj qsm_cosim
	rm -f $@
	$(call compile_verilated,$(@:.so=)/obj,qsm_cosim,$(CURDIR)/$@,gpu)
.PRECIOUS: build/fpga/pins/%/netlist.json $(BUILD_NETLIST)/%/netlist.v
