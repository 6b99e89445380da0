# SPDX-License-Identifier: Apache-2.0
# Broken RTL (tb/mutate/README.md): mutants made by a tool, a build for each folder of rtl/, and the few faults made by hand, one build for all.
# In a build all its faults are asleep; a run wakes one.
MUTATE_DIR := build/mutate
MUTATE_FOLDERS := $(sort $(patsubst rtl/%/,%,$(wildcard rtl/*/))) rtl
# Files of a folder in the lists of unit benches; `rtl` are those in no folder.
mutate_files = $(if $(filter hand,$(1)),rtl/.*,$(if $(filter rtl,$(1)),rtl/[a-z0-9_]+\.sv,rtl/$(1)/.*))
# Unit benches that read a block of a folder, without their smallest sizes, where most mutants change nothing, and those of the largest
# sizes and of whole SMs, which take minutes to compile. Three large ones are quick.
mutate_benches = $(filter-out %/one %/w1 %/k1s1w1 %/k1s1w2 %/k4s4w32 %/most %/wang2017 %/smqos sm/% sm_preempt/%,$(call mutate_read,$(1))) \
  $(filter qos_mgr/wang2017 tb_alloc/wang2017 tb_adjust/most,$(call mutate_read,$(1)))
mutate_read = $(patsubst build/lists/unit/%.f,%,$(shell grep -lE '^$(call mutate_files,$(1))$$' build/lists/unit/*/*.f))
# Of these, those that the block BLOCK= is part of, or all.
mutate_asked = $(if $(BLOCK),$(patsubst %.f,%,$(shell cd build/lists/unit && grep -lE '^rtl/([a-z_]+/)?$(BLOCK)\.sv$$' $(patsubst %,%.f,$(call mutate_benches,$(1))))),\
  $(call mutate_benches,$(1)))
mutate_libraries = $(patsubst %,$(MUTATE_DIR)/$(1)/root/build/rtl/%.so,tiny odd)
# FOLDER= one of them, or all.
MUTATE_CHOSEN := $(if $(BLOCK),$(patsubst %,%,$(foreach file,$(wildcard rtl/$(BLOCK).sv rtl/*/$(BLOCK).sv),$(notdir $(patsubst %/,%,$(dir $(file)))))),$(or $(FOLDER),$(MUTATE_FOLDERS)))
MUTATE_RUN = build/venv/bin/python tb/mutate/mutate.py run

.PHONY: faults mutate
faults: install-sim install-lint ## wake the faults made by hand: which test sees each -> docs/results/faults.md; FAULT="NAME ..." for some
	$(BUILD) $(MUTATE_DIR)/hand/built
	$(MUTATE_RUN) $(MUTATE_DIR)/hand --jobs $(CPUS) $(if $(FAULT),--only $(FAULT),--table docs/results/faults.md)

mutate: install-sim install-lint $(MUTATE_CHOSEN:%=mutate-%) ## change the RTL by a tool: which change no test sees -> docs/results/mutate.md; FOLDER=sm, BLOCK=qsm_quota, MUTANTS=20 of each module

mutate-%: FORCE
	$(BUILD) $(MUTATE_DIR)/$*/built
	$(MUTATE_RUN) $(MUTATE_DIR)/$* --jobs $(CPUS) --seed $(SEED) $(if $(BLOCK),--block $(BLOCK)) $(if $(MUTANTS),--mutants $(MUTANTS)) \
	  --also $(MUTATE_FOLDERS:%=$(MUTATE_DIR)/%) --table docs/results/mutate.md

$(MUTATE_DIR)/%/prepared: FORCE build/cfg/odd/files.f build/cfg/tiny/files.f | $(STAMPS)/pip-lint
	build/venv/bin/python tb/mutate/mutate.py prepare $* $(@D) $(call mutate_benches,$*)
	ln -sfn $(CURDIR)/configs $(@D)/root/configs

# $(call broken_rules,FOLDER)
define broken_rules
$(MUTATE_DIR)/$(1)/root/build/rtl/%.so: GPU_OPTIONS := $(MUTATE_DIR)/$(1)/qsm_fault_pkg.sv
$(MUTATE_DIR)/$(1)/root/build/rtl/%.so: GPU_CXX += $(CURDIR)/$(MUTATE_DIR)/$(1)/qsm_fault.cpp
$(MUTATE_DIR)/$(1)/root/build/rtl/%.so: $(MUTATE_DIR)/$(1)/prepared build/cfg/%/files.f $(COSIM_DEPENDS) $(call VERILATED_SHARED,$(GPU_KIND))
	mkdir -p $$(@D)
	echo 'Verilating the RTL of $$* with all faults of $(1)'
	sed 's|^rtl/|$(MUTATE_DIR)/$(1)/rtl/|' build/cfg/$$*/files.f > $(MUTATE_DIR)/$(1)/$$*.f
	$$(call verilate_gpu,$(MUTATE_DIR)/$(1)/$$*,$(MUTATE_DIR)/$(1)/$$*.f,$$@)

endef
$(foreach folder,hand $(MUTATE_FOLDERS),$(eval $(call broken_rules,$(folder))))
# $(call broken_bench,FOLDER,NAME/STEM)
define broken_bench
$(MUTATE_DIR)/$(1)/unit/$(2)/run: BENCH_OPTIONS := $(MUTATE_DIR)/$(1)/qsm_fault_pkg.sv $(CURDIR)/$(MUTATE_DIR)/$(1)/qsm_fault.cpp
$(MUTATE_DIR)/$(1)/unit/$(2)/run: BENCH_KIND := long
$(MUTATE_DIR)/$(1)/unit/$(2)/run: $(MUTATE_DIR)/$(1)/prepared $(filter-out rtl/%,$(UNIT_FILES_$(2))) tb/unit/common/parameters.py $(BENCH_ARCHIVES) $(call VERILATED_SHARED,long)
	echo 'Verilating the unit bench $(2) with all faults of $(1)'
	$$(call verilate_bench,$(2),$(MUTATE_DIR)/$(1)/tb/$(2).f)
endef
# `make test` wakes six of them, each for a moment (tb/mutate/test_by_hand.sh): to compile it well would take longer than to run it slowly. What it built
# does for `make faults`, too.
ifneq ($(filter test-build,$(MAKECMDGOALS)),)
$(MUTATE_DIR)/hand/root/build/rtl/tiny.so: GPU_KIND := slow
endif
# What a run asks. These rules are made only where they are asked for: they are many. The lists of benches are there by then.
# $(call broken_built,FOLDER)
define broken_built
.PHONY: $(MUTATE_DIR)/$(1)/built
$(MUTATE_DIR)/$(1)/built: build/qsm $(call mutate_libraries,$(1)) $(patsubst %,$(MUTATE_DIR)/$(1)/unit/%/run,$(call mutate_asked,$(1)))
$(foreach bench,$(UNIT_NAMES),$(eval $(call broken_bench,$(1),$(bench))))
endef
$(foreach folder,$(sort $(foreach goal,$(filter $(MUTATE_DIR)/%,$(MAKECMDGOALS)),$(word 3,$(subst /, ,$(goal))))),$(eval $(call broken_built,$(folder))))
