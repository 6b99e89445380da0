# SPDX-License-Identifier: Apache-2.0
# Front door of qsm. `make` or `make help` lists what there is. Every target first installs the tools it needs (mk/install.mk),
# then builds on all cores; all outputs are under build/.
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
SHELL := /bin/bash
# Commands are shown with V=1.
$(if $(V),,$(eval .SILENT:))

# Things to set on the command line: make run CONFIG=tiny SCENARIO=mine.yaml
CONFIG ?= demo
SCENARIO ?= examples/demo.yaml
OUT ?= build/run
SEED ?= 1
CYCLES ?= 1000000
CPUS := $(shell nproc)
# A recursive make on all cores, unless the caller has said how many.
BUILD = +$(MAKE) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(CPUS))

include mk/install.mk
include mk/host.mk
include mk/fast.mk
include mk/rtl.mk
include mk/board.mk
include mk/litex.mk
include mk/test.mk
include mk/faults.mk
include mk/sanitize.mk
include mk/fuzz.mk
include mk/portability.mk
include mk/waves.mk
include mk/lint.mk
include mk/fpga.mk
include mk/netlist.mk
include mk/results.mk
include mk/experiments.mk
include mk/coverage.mk
include mk/formal.mk

.PHONY: help run fuzz waves docs registers enums rules clean FORCE

help: ## this list
	echo 'qsm: an open GPU with quality of service. Two kernels, one goal, held in every cycle: make run'
	echo
	sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile mk/*.mk | expand -t 20
	echo
	echo 'Variables: CONFIG=$(CONFIG) (of: $(CONFIGS)), SCENARIO=$(SCENARIO), OUT=$(OUT), SEED=$(SEED), CYCLES=$(CYCLES)'

run: install-sim ## build the demo and run two kernels under a goal, RTL and model compared in every cycle
	$(BUILD) build/qsm sw-kernels build/rtl/$(CONFIG).so
	build/qsm run $(SCENARIO) --config $(CONFIG) --backend lockstep --out $(OUT) --overwrite

fuzz: install-sim ## random programs and launches in lockstep, CYCLES= SEED= CONFIG= (random: one made up from the seed)
	$(BUILD) build/qsm build/qsm-config $(if $(filter random,$(CONFIG)),,build/rtl/$(CONFIG).so)
	build/qsm fuzz --config $(CONFIG) --cycles $(CYCLES) --seed $(SEED) --out build/fuzz

# Of tiny unless CONFIG= is given: a GPU that can write waveforms takes long to compile.
WAVES_CONFIG = $(if $(filter command,$(firstword $(origin CONFIG))),$(CONFIG),tiny)
WAVES_SCENARIO = $(if $(filter command,$(firstword $(origin SCENARIO))),$(SCENARIO),examples/tiny.yaml)
waves: install-sim install-waves ## a short run with waveforms and a GTKWave save file
	$(BUILD) build/qsm sw-kernels build/rtl/$(WAVES_CONFIG).so build/rtl-trace/$(WAVES_CONFIG).so
	build/qsm run $(WAVES_SCENARIO) --config $(WAVES_CONFIG) --backend rtl --cycles 10000 --waves --out build/waves --overwrite

docs: install-docs ## docs/ as HTML under build/docs, with figures; every link checked
	build/venv/bin/python scripts/docs.py docs $(wildcard *.md */README.md */*/README.md) build/docs

registers: install-docs ## regenerate what comes from rtl/qsm_regs.rdl
	build/venv/bin/python scripts/registers.py rtl/qsm_regs.rdl .

enums: install-docs ## regenerate what comes from rtl/qsm_enums.rdl
	build/venv/bin/python scripts/enums.py rtl/qsm_enums.rdl .

rules: $(STAMPS)/apt-python ## which test or proof checks each numbered rule of docs/ -> docs/results/rules.md
	python3 scripts/rules.py .

clean: ## remove everything built (installed packages stay)
	rm -rf build
