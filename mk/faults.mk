# SPDX-License-Identifier: Apache-2.0
# Broken RTL: faults made by hand (tb/faults/README.md), mutants made by a tool (tb/mutate/README.md). Each has a folder with all its
# faults in one build, of which one is awake in a run.
FAULTS_DIR := build/faults
FAULT_BENCHES := $(sort $(shell awk '/^==/ { print $$4 }' tb/faults/faults.txt))
FAULT_LIBRARIES := $(patsubst %,$(FAULTS_DIR)/root/build/rtl/%.so,tiny odd)

MUTATE_DIR := build/mutate
MUTATE_FOLDERS := warp_sched|qos_mgr|tb_sched
# Unit benches that read a block of these folders, without their smallest sizes, where most mutants change nothing, and those
# of the largest sizes and of whole SMs, which take minutes to compile. Three large ones are quick.
MUTATE_BENCHES := qos_mgr/wang2017 tb_alloc/wang2017 tb_adjust/most \
  $(filter-out %/one %/w1 %/k1s1w1 %/k1s1w2 %/k4s4w32 %/most %/wang2017 sm/% sm_preempt/%, \
  $(shell cd build/lists/unit 2> /dev/null && grep -lE '^rtl/($(MUTATE_FOLDERS))/' */*.f | sed 's/\.f$$//'))
# Those that the block BLOCK=, or one of all blocks, is part of.
MUTATE_BLOCK_BENCHES = $(shell cd build/lists/unit && grep -lE '^rtl/($(MUTATE_FOLDERS))/$(or $(BLOCK),.*)\.sv$$' $(MUTATE_BENCHES:%=%.f))
MUTATE_LIBRARIES := $(patsubst %,$(MUTATE_DIR)/root/build/rtl/%.so,tiny odd)

.PHONY: faults mutate
faults: install-sim $(STAMPS)/apt-python ## break the RTL in some hundred ways: which test sees it -> docs/results/faults.md; FAULT=PATTERN for some
	$(BUILD) build/qsm $(FAULT_LIBRARIES) $(FAULT_BENCHES:%=$(FAULTS_DIR)/unit/%/run)
	python3 tb/faults/faults.py run tb/faults/faults.txt $(FAULTS_DIR) $(if $(FAULT),--pattern '$(FAULT)',--table docs/results/faults.md)

mutate: install-lint ## change the scheduling blocks by a tool: which change no test sees -> docs/results/mutate.md; BLOCK=qsm_quota, MUTANTS=20 of each
	$(BUILD) build/qsm $(MUTATE_LIBRARIES) $(MUTATE_BLOCK_BENCHES:%.f=$(MUTATE_DIR)/unit/%/run)
	python3 tb/mutate/mutate.py run $(MUTATE_DIR) --jobs $(CPUS) --seed $(SEED) $(if $(BLOCK),--block $(BLOCK)) $(if $(MUTANTS),--mutants $(MUTANTS)) \
	  --table docs/results/mutate.md

$(FAULTS_DIR)/prepared: FORCE
	python3 tb/faults/faults.py prepare tb/faults/faults.txt $(@D)
	ln -sfn $(CURDIR)/configs $(@D)/root/configs

# In `odd` no loop over SMs, sub-cores or warps is a loop over one.
$(MUTATE_DIR)/prepared: FORCE build/cfg/odd/files.f
	build/venv/bin/python tb/mutate/mutate.py prepare build/cfg/odd/files.f $(@D) $(MUTATE_BENCHES)
	ln -sfn $(CURDIR)/configs $(@D)/root/configs

# $(call broken_rules,FOLDER)
define broken_rules
$(1)/root/build/rtl/%.so: GPU_OPTIONS := $(1)/qsm_fault_pkg.sv
$(1)/root/build/rtl/%.so: GPU_CXX += $(CURDIR)/$(1)/qsm_fault.cpp
$(1)/root/build/rtl/%.so: $(1)/prepared build/cfg/%/files.f $(COSIM_DEPENDS)
	mkdir -p $$(@D)
	echo 'Verilating the RTL of $$* with all faults of $(1)'
	sed 's|^rtl/|$(1)/rtl/|' build/cfg/$$*/files.f > $(1)/$$*.f
	$$(call verilate_gpu,$(1)/$$*,$(1)/$$*.f,$$@)

endef
# $(call broken_bench,FOLDER,NAME/STEM)
define broken_bench
$(1)/unit/$(2)/run: BENCH_OPTIONS := $(1)/qsm_fault_pkg.sv $(CURDIR)/$(1)/qsm_fault.cpp
$(1)/unit/$(2)/run: BENCH_KIND := long
$(1)/unit/$(2)/run: $(1)/prepared $(filter-out rtl/%,$(UNIT_FILES_$(2))) $(BENCH_ARCHIVES) $(call VERILATED_SHARED,long)
	echo 'Verilating the unit bench $(2) with all faults of $(1)'
	$$(call verilate_bench,$(2),$(1)/tb/$(2).f)
endef
$(foreach folder,$(FAULTS_DIR) $(MUTATE_DIR),$(eval $(call broken_rules,$(folder))) \
  $(foreach bench,$(UNIT_BENCHES:build/unit/%/run=%),$(eval $(call broken_bench,$(folder),$(bench)))))
