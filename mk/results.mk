# SPDX-License-Identifier: Apache-2.0
# Measured tables, kept in docs/results/.
.PHONY: area bench

area: install-area ## cells, flip-flops, memory and logic depth of each block -> docs/results/area.md
	$(BUILD) build/cfg/fpga/files.f build/cfg/wang2017/files.f
	build/venv/bin/python scripts/area.py build/cfg docs/results/area.md

bench: install-sim $(STAMPS)/apt-python ## cycles per CPU-second of model, RTL and lockstep -> docs/results/bench.md
	$(BUILD) build/qsm sw-kernels build/rtl/tiny.so build/rtl/demo.so build/rtl/wang2017.so build/rtl/fpga+warps_per_sm-4+l2_kib-16.so
	python3 scripts/bench.py build/bench docs/results/bench.md
