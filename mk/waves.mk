# SPDX-License-Identifier: Apache-2.0
# GTKWave save files, made with each tracing build: build/rtl-trace/NAME.gtkw, which build/qsm copies to the waveforms it writes.
WAVED := $(CONFIGS) $(filter-out $(CONFIGS),$(CONFIG))
$(WAVED:%=build/rtl-trace/%.so): build/rtl-trace/%.so: | build/rtl-trace/%.gtkw

# $(call make_save_file,CONFIGURATION)
define make_save_file
	mkdir -p $(@D)
	python3 scripts/gtkw.py $(1) > $@
endef
build/rtl-trace/%.gtkw: configs/%.yaml scripts/gtkw.py
	$(call make_save_file,$<)
build/rtl-trace/%.gtkw: build/configs/%.yaml scripts/gtkw.py
	$(call make_save_file,$<)

# What tb/waves/ opens.
test-build: $(patsubst %,build/rtl-trace/%.so,tiny $(if $(QSM_TEST_FULL),odd))
test test-full: install-waves
