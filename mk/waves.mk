# SPDX-License-Identifier: Apache-2.0
# GTKWave save files, made with each tracing build: build/rtl-trace/NAME.gtkw, which build/qsm copies to the waveforms it writes.
$(CONFIGS:%=build/rtl-trace/%.so): build/rtl-trace/%.so: | build/rtl-trace/%.gtkw

build/rtl-trace/%.gtkw: configs/%.yaml scripts/gtkw.py
	mkdir -p $(@D)
	python3 scripts/gtkw.py $< > $@

# What tb/waves/ opens.
test-build: $(patsubst %,build/rtl-trace/%.so,tiny $(if $(QSM_TEST_FULL),odd))
test test-full: install-waves
