# SPDX-License-Identifier: Apache-2.0
# Measured tables, kept in docs/results/.
.PHONY: area bench

area: CONFIG := fpga
AREA_CONFIGS := fpga fpga+fpu-1+l1_kib-4+l2_kib-32+dram_banks-8 wang2017

area: install-area ## cells, flip-flops, memory and logic depth of each block -> docs/results/area.md; BLOCK=MODULE: of that one, to the terminal; CONFIG=fpga
	$(BUILD) $(if $(BLOCK),build/cfg/$(CONFIG)/files.f,$(AREA_CONFIGS:%=build/cfg/%/files.f))
	build/venv/bin/python scripts/area.py build/cfg $(if $(BLOCK),--block $(BLOCK) $(CONFIG),docs/results/area.md)

bench: install-sim $(STAMPS)/apt-python ## cycles per CPU-second of model, RTL and lockstep -> docs/results/bench.md
	$(BUILD) build/fast/qsm sw-kernels build/rtl/tiny.so build/rtl/demo.so build/rtl/wang2017.so build/rtl/fpga+warps_per_sm-4+l2_kib-16.so
	python3 scripts/bench.py build/bench docs/results/bench.md
