# SPDX-License-Identifier: Apache-2.0
# RTL of a configuration: its package, the list of files, and the Verilated GPU as a shared object that the tools open.
#   build/cfg/NAME/qsm_cfg_pkg.sv, build/cfg/NAME/files.f   make package CONFIG=NAME
#   build/rtl/NAME.so                                       make rtl CONFIG=NAME
#   build/rtl-trace/NAME.so (can write waveforms)           make rtl-trace CONFIG=NAME
# NAME: of configs/, NAME+KEY-VALUE (other values of some parameters), or random-SEED (made up from its seed, qsm fuzz --config random).
CONFIGS := $(patsubst configs/%.yaml,%,$(wildcard configs/*.yaml))
VERILATOR ?= verilator
VERILATED_CXX ?= clang++-19

# From the manifests beside the RTL and the benches (*.core): RTL_SRCS, RTL_HEADERS, RTL_INCLUDE, UNIT_NAMES, and of each unit bench its UNIT_TOP_, UNIT_KIND_, UNIT_CXX_
# and UNIT_FILES_; besides the lists of files build/lists/core/NAME.f and build/lists/unit/NAME/TARGET.f. Without Python's YAML, which
# a target's install brings, there is none of it yet.
CORE_FILES := $(shell find rtl configs tb/unit -name '*.core')
-include build/lists/cores.mk
build/lists/cores.mk: $(CORE_FILES) scripts/cores.py mk/rtl.mk
	for python in python3 /usr/bin/python3; do \
	  if $$python -c 'import yaml' 2> /dev/null; then exec $$python scripts/cores.py lists $(@D); fi; done

COSIM_PACKAGES := $(sort $(wildcard tb/cosim/*_pkg.sv))
COSIM_SM_SRCS := tb/cosim/qsm_sm_monitors.sv tb/cosim/qsm_sm_block.sv
COSIM_GPU_SRCS := tb/cosim/qsm_axil_checker.sv tb/cosim/qsm_port_monitor.sv tb/cosim/qsm_gpu_monitors.sv tb/cosim/qsm_sm_standin.sv tb/cosim/qsm_cosim.sv
COSIM_CXX := $(wildcard tb/cosim/*.cpp)

.PHONY: package rtl rtl-trace
package: install-sim ## the SystemVerilog package and file list of CONFIG
	$(BUILD) build/cfg/$(CONFIG)/files.f
rtl: install-sim ## Verilated RTL of CONFIG
	$(BUILD) build/rtl/$(CONFIG).so
rtl-trace: install-sim ## the same, able to write waveforms
	$(BUILD) build/rtl-trace/$(CONFIG).so

# Files that come out as they were keep their age, so that nothing is built again because of them.
keep_if_same = cmp -s $(1).new $(1) && rm $(1).new || mv $(1).new $(1)

# $(call emit,ARGUMENTS)
define emit
	mkdir -p $(@D)
	build/qsm-config $(1) > $@.new
	$(call keep_if_same,$@)
endef
build/cfg/%/qsm_cfg_pkg.sv: configs/%.yaml build/qsm-config
	$(call emit,$* --sv)

build/cfg/%/qsm_cfg_pkg.sv: build/configs/%.yaml build/qsm-config
	$(call emit,$< --sv)

build/configs/%.yaml: build/qsm-config FORCE
	$(call emit,$* --yaml)

build/configs/random-%.yaml: build/qsm-config
	$(call emit,--random $*)

build/cfg/%/files.f: build/cfg/%/qsm_cfg_pkg.sv FORCE
	printf '%s\n' $(RTL_INCLUDE) $< $(RTL_SRCS) > $@.new
	$(call keep_if_same,$@)

# The GPU of tb/axi, with AXI4 between it and the simulated memory.
AXI_SRCS := $(wildcard tb/axi/*.sv)
build/cfg/axi/qsm_cfg_pkg.sv: tb/axi/axi.yaml build/qsm-config
	$(call emit,$< --sv)
build/cfg/axi/files.f: build/cfg/axi/qsm_cfg_pkg.sv FORCE
	printf '%s\n' $(RTL_INCLUDE) $< $(RTL_SRCS) $(AXI_SRCS) > $@.new
	$(call keep_if_same,$@)
build/rtl/axi.so: GPU_OPTIONS := -DQSM_GPU=qsm_axi_board -DQSM_GPU_PATH=u_gpu.u_axi.u_gpu
build/rtl/axi.so: $(AXI_SRCS)

# Warnings are for `make lint`. Two-state simulation starts from 0, as the model does (R-GEN-4). $stop and $fatal go to the
# shim. -O3 and profiles gain nothing in the generated code.
GPU_CXXFLAGS := -fPIC -DVL_USER_STOP -DVL_USER_FATAL
VERILATE = $(VERILATOR) --cc --assert --x-assign fast --x-initial fast -Wno-lint -Wno-style --output-split 20000 \
  -CFLAGS '$(GPU_CXXFLAGS)'

# What all Verilated programs share, in build/verilated/KIND: Verilator's library, and a header compiled once, as most of a small
# file's time is in reading Verilator's. A kind is what the compiler's options make different: gpu (a shared object), slow (what hardly runs of it, such as
# constructors, which Verilator has in files of their own; GPU_KIND=slow makes all of a GPU so, which compiles in a fifth of the time and runs seven
# times slower), trace (a GPU that writes waveforms), quick (unit benches, which are not optimised) and long (those whose manifest asks for it, as
# they would run for seconds). A cache of compilations does without the header, which it could not see through.
VERILATED_OPT_quick := -O0
VERILATED_OPT_long := -O1
VERILATED_OPT_gpu := -O2
VERILATED_OPT_trace := -O0
VERILATED_OPT_slow := -O0
VERILATED_FLAGS_gpu := $(GPU_CXXFLAGS)
VERILATED_FLAGS_slow := $(GPU_CXXFLAGS)
VERILATED_FLAGS_trace := $(GPU_CXXFLAGS)
# The kind for files that hardly run, and the one whose library does for this one as well: libraries have an optimisation of their own.
VERILATED_SLOW_gpu := slow
VERILATED_SLOW_slow := slow
VERILATED_SLOW_trace := trace
VERILATED_LIBRARY = $(or $(VERILATED_LIBRARY_$(1)),$(1))
VERILATED_LIBRARY_long := quick
VERILATED_LIBRARY_slow := gpu
VERILATED_PARTS := verilated verilated_dpi verilated_threads
VERILATED_PARTS_trace := verilated_fst_c
VERILATED_INCLUDE = $$($(VERILATOR) --getenv VERILATOR_ROOT)/include
# $(call VERILATED_COMPILE,KIND): as Verilator's makefile has it.
VERILATED_COMPILE = $(CCACHE) $(VERILATED_CXX) -I$(VERILATED_INCLUDE) -I$(VERILATED_INCLUDE)/vltstd -DVM_COVERAGE=0 -DVM_SC=0 \
  $(if $(findstring trace,$(1)),-DVM_TRACE=1 -DVM_TRACE_FST=1,-DVM_TRACE=0 -DVM_TRACE_FST=0) -DVM_TRACE_VCD=0 -faligned-new -fcf-protection=none \
  $(VERILATED_FLAGS_$(1))
VERILATED_HEADERS := verilated.h verilated_dpi.h algorithm array cstdio cstdlib cstring deque map string type_traits vector
# $(call VERILATED_SHARED,KIND): files. $(call verilated_options,KIND): options of the compiler.
VERILATED_SHARED = build/verilated/$(call VERILATED_LIBRARY,$(1))/libverilated.a \
  $(if $(CCACHE),,$(patsubst %,build/verilated/%/qsm_verilated.h.gch,$(sort $(1) $(VERILATED_SLOW_$(1)))))
verilated_options = $(VERILATED_OPT_$(1)) $(if $(CCACHE),,-include $(CURDIR)/build/verilated/$(1)/qsm_verilated.h)

build/verilated/%/qsm_verilated.h: mk/rtl.mk
	mkdir -p $(@D)
	printf '#include <%s>\n' $(VERILATED_HEADERS) > $@
build/verilated/%/qsm_verilated.h.gch: build/verilated/%/qsm_verilated.h
	$(call VERILATED_COMPILE,$*) $(VERILATED_OPT_$*) -x c++-header $< -o $@
build/verilated/%/libverilated.a: mk/rtl.mk
	mkdir -p $(@D)
	for part in $(VERILATED_PARTS) $(VERILATED_PARTS_$*); do \
	  $(call VERILATED_COMPILE,$*) $(if $(filter gpu,$*),-Os,-O0) -c $(VERILATED_INCLUDE)/$$part.cpp -o $(@D)/$$part.o || exit 1; done
	rm -f $@
	ar rcs $@ $(patsubst %,$(@D)/%.o,$(VERILATED_PARTS) $(VERILATED_PARTS_$*))
.PRECIOUS: build/verilated/%/qsm_verilated.h build/verilated/%/qsm_verilated.h.gch build/verilated/%/libverilated.a

# $(call compile_verilated,FOLDER,TOP,OUTPUT from there,KIND). Always links: Verilator's makefile does not know of other archives, and
# leaves in its own what is no longer part of it. A bench is one file for the compiler, which so reads the bench's classes once; a GPU,
# which is the last to be built, is some (scripts/verilated_units.sh), as all processors get one.
define compile_verilated
	rm -f $(1)/$(3) $(1)/V$(2)__ALL.a
	+$(MAKE) -C $(1) -f V$(2).mk CXX=$(VERILATED_CXX) LINK=$(VERILATED_CXX) OBJCACHE=$(CCACHE) \
	  OPT_FAST='$(call verilated_options,$(4))' OPT_SLOW='$(call verilated_options,$(or $(VERILATED_SLOW_$(4)),$(4)))' \
	  VM_GLOBAL_FAST= VM_GLOBAL_SLOW= $(if $(VERILATED_SLOW_$(4)),,VM_PARALLEL_BUILDS=0) \
	  LIBS=$(CURDIR)/build/verilated/$(call VERILATED_LIBRARY,$(4))/libverilated.a \
	  $(3) > $(1)/build.log 2>&1 || { tail -n 40 $(1)/build.log; exit 1; }
endef
# $(call verilate_gpu,FOLDER,FILES.f,OUTPUT): the SM once, as an archive in FOLDER/sm, and the GPU level with the shim, which makes
# as many SMs as the configuration has. In one piece, wang2017 would take Verilator and the compiler more than an hour.
# Rules that do it otherwise set GPU_OPTIONS (more options of Verilator), GPU_KIND, GPU_CXX and COMPILE_VERILATED.
GPU_OPTIONS :=
GPU_KIND ?= gpu
GPU_CXX := $(COSIM_CXX:%=$(CURDIR)/%)
COMPILE_VERILATED := compile_verilated
define verilate_gpu
	mkdir -p $(1)/sm
	$(VERILATE) $(GPU_OPTIONS) --top-module qsm_sm_block --Mdir $(CURDIR)/$(1)/sm -f $(2) $(COSIM_PACKAGES) $(COSIM_SM_SRCS)
	scripts/verilated_units.sh $(1)/sm qsm_sm_block
	grep -v rtl/sm/ $(2) > $(1)/gpu.f
	$(VERILATE) $(GPU_OPTIONS) --exe --top-module qsm_cosim --Mdir $(CURDIR)/$(1) -o $(CURDIR)/$(3) -f $(CURDIR)/$(1)/gpu.f \
	  $(COSIM_PACKAGES) $(COSIM_GPU_SRCS) $(GPU_CXX) -CFLAGS '$(MODEL_FOLDERS:%=-I$(CURDIR)/%) -I$(CURDIR)/tb/cosim -Ism' \
	  -LDFLAGS '-shared sm/Vqsm_sm_block__ALL.a $(CURDIR)/build/libqsm_model.a'
	scripts/verilated_units.sh $(1) qsm_cosim
	$(call $(COMPILE_VERILATED),$(1)/sm,qsm_sm_block,Vqsm_sm_block__ALL.a,$(GPU_KIND))
	rm -f $(3)
	$(call $(COMPILE_VERILATED),$(1),qsm_cosim,$(CURDIR)/$(3),$(GPU_KIND))
endef
COSIM_DEPENDS := $(RTL_SRCS) $(RTL_HEADERS) $(COSIM_PACKAGES) $(COSIM_SM_SRCS) $(COSIM_GPU_SRCS) $(COSIM_CXX) $(wildcard tb/cosim/*.h) \
  c_model/qsm_events.h build/libqsm_model.a mk/rtl.mk

build/rtl/%.so: build/cfg/%/files.f $(COSIM_DEPENDS) $(call VERILATED_SHARED,$(GPU_KIND))
	echo 'Verilating the RTL of $*'
	$(call verilate_gpu,build/rtl/$*,$<,$@)

build/rtl-trace/%.so: GPU_KIND := trace
build/rtl-trace/%.so: GPU_OPTIONS := --trace-fst --trace-structs -CFLAGS -DQSM_TRACE
build/rtl-trace/%.so: build/cfg/%/files.f $(COSIM_DEPENDS) $(call VERILATED_SHARED,trace)
	echo 'Verilating the RTL of $* with waveforms'
	$(call verilate_gpu,build/rtl-trace/$*,$<,$@)

.PRECIOUS: build/cfg/%/qsm_cfg_pkg.sv build/cfg/%/files.f build/configs/%.yaml build/configs/random-%.yaml

# Unit benches (tb/README.md): target STEM of tb/unit/NAME/NAME.core gives build/unit/NAME/STEM/run.
UNIT_BENCHES := $(UNIT_NAMES:%=build/unit/%/run)

# $(call verilate_bench,NAME/STEM,its list): $@ from it. Rules that do it otherwise set VERILATOR, BENCH_OPTIONS (before the files), BENCH_KIND
# and COMPILE_VERILATED.
BENCH_OPTIONS :=
BENCH_KIND :=
BENCH_ARCHIVES := build/libqsm_model.a build/libfp_ref.a
define verilate_bench
	mkdir -p $(@D)
	tb/unit/common/parameters.py build/lists/unit/$(1).f $(@D)
	$(VERILATOR) --cc --exe --Mdir $(CURDIR)/$(@D) -o run $(BENCH_OPTIONS) -f $(2) \
	  -CFLAGS '$(MODEL_FOLDERS:%=-I$(CURDIR)/%) -I$(CURDIR)/tb/fp' -LDFLAGS '$(BENCH_ARCHIVES:%=$(CURDIR)/%) $(FP_REF_LIBS)' \
	  $(UNIT_CXX_$(1):%=$(CURDIR)/%)
	$(call $(COMPILE_VERILATED),$(@D),$(UNIT_TOP_$(1)),run,$(or $(BENCH_KIND),$(UNIT_KIND_$(1))))
endef

# $(call unit_rule,NAME/STEM)
define unit_rule
build/unit/$(1)/run: build/lists/unit/$(1).f $(UNIT_FILES_$(1)) tb/unit/common/parameters.py $(BENCH_ARCHIVES) $(call VERILATED_SHARED,$(UNIT_KIND_$(1))) mk/rtl.mk
	echo 'Verilating the unit bench $(1)'
	$$(call verilate_bench,$(1),$$<)
endef
$(foreach bench,$(UNIT_NAMES),$(eval $(call unit_rule,$(bench))))
# They come with build/lists/cores.mk.
build/lists/unit/%.f: ;
