# SPDX-License-Identifier: Apache-2.0
# An SoC with the GPU in it, in LiteX' simulator (docs/soc.md): the SoC once, then the program of its CPU, which is read when it starts.
#   build/litex/CONFIG/soc            make litex-sim CONFIG=NAME
#   build/litex/NAME.elf              programs for its CPU
#   build/litex/host                  the same program on a backend of libqsm
LITEX_CONFIG = $(if $(filter command,$(firstword $(origin CONFIG))),$(CONFIG),tiny+l2_kib-1)
LITEX_PYTHON := build/venv/bin/python
LITEX_SOC := fpga/litex/sim.py fpga/litex/qsm_litex.py fpga/litex/qsm_sim_end.sv requirements-litex.txt
LITEX_HEADERS := fpga/litex/demo.h sw/bare/qsm_bare.h $(addprefix c_model/,qsm_config.h qsm_regs.h qsm_enums.h)
LITEX_PROGRAM := fpga/litex/soc.c fpga/litex/demo.c sw/bare/qsm_bare.c
LITEX_INCLUDE := -Ic_model -Isw/bare -Ifpga/litex

build/qsm-image: $(call OBJECT,sw/bare/qsm_image_main.c sw/libqsm/qsm_elf.c)
	$(CC) $(CFLAGS) $^ -lelf -o $@
build/obj/sw/bare/%.o build/obj/fpga/litex/%.o build/obj/build/litex/%.o: CPPFLAGS += -Isw/bare -Ifpga/litex

# Device programs as C, in a file of the program's name.
build/litex/%.c: build/sw/%.elf build/qsm-image
	mkdir -p $(@D)
	build/qsm-image $*_program $< > $@

# Of tb/litex: programs with a kernel that is not as it should be.
LITEX_BAD := wrong stuck outside
build/litex/wrong.elf: QSM_CC_OPTIONS := -DWRONG
build/litex/stuck.elf: QSM_CC_OPTIONS := -DSTUCK
build/litex/outside.elf: QSM_CC_OPTIONS := -DOUTSIDE
$(LITEX_BAD:%=build/litex/%.elf): tb/litex/vadd.c $(SW_DEVICE)
	mkdir -p $(@D)
	CLANG=$(CLANG) LLD=$(LLD) sw/bin/qsm-cc $(QSM_CC_OPTIONS) $< -o $@
$(LITEX_BAD:%=build/litex/%.c): %.c: %.elf build/qsm-image
	build/qsm-image vadd_program $< > $@

# $(call litex_host,NAME,IMAGES)
define litex_host
build/litex/$(1): $(call OBJECT,fpga/litex/host.c fpga/litex/demo.c sw/bare/qsm_bare.c $(2:%=build/litex/%.c)) build/libqsm_host.a build/libqsm_model.a
	$$(CC) $$(CFLAGS) $$^ $$(HOST_LIBS) -o $$@
endef
$(eval $(call litex_host,host,vadd matmul))
$(foreach bad,$(LITEX_BAD),$(eval $(call litex_host,host-$(bad),$(bad) matmul)))

# Verilator's files come out the same, so that a cache of compilations helps.
build/litex/%/soc: build/cfg/%/files.f $(RTL_SRCS) $(RTL_HEADERS) $(LITEX_SOC)
	echo 'Verilating the SoC with $*'
	mkdir -p $(@D)
	$(LITEX_PYTHON) fpga/litex/sim.py soc $(@D) $< > $(@D)/litex.log 2>&1 || { tail -n 20 $(@D)/litex.log >&2; exit 1; }
	touch $@
.PRECIOUS: build/litex/%.c build/litex/%/soc

# $(call litex_program,NAME,IMAGES): the program with these images of kernels, for the CPU of a SoC.
define litex_program
build/litex/%/$(1).elf: build/litex/%/soc $(LITEX_PROGRAM) $(LITEX_HEADERS) $(2:%=build/litex/%.c)
	$(LITEX_PYTHON) fpga/litex/sim.py program $$(@D) $$@ $(LITEX_PROGRAM) $$(filter-out $(LITEX_PROGRAM),$$(filter %.c,$$^)) $(LITEX_INCLUDE)
endef
$(eval $(call litex_program,demo,vadd matmul))
$(foreach bad,$(LITEX_BAD),$(eval $(call litex_program,$(bad),$(bad) matmul)))

# What tb/litex runs: on the model, and in test-full on the SoC.
LITEX_TESTS := build/litex/host $(LITEX_BAD:%=build/litex/host-%) $(if $(QSM_TEST_FULL),$(patsubst %,build/litex/tiny+l2_kib-1/%.elf,demo $(LITEX_BAD)))

.PHONY: litex-sim lint-litex
lint-litex:
	$(VERILATOR) --lint-only -Wall fpga/litex/qsm_sim_end.sv && echo "verilator: the end of the SoC's simulation is clean"

litex-sim: install-sim $(STAMPS)/apt-litex $(STAMPS)/pip-litex ## an SoC with the GPU in LiteX' simulator: a program on its CPU runs two kernels under a goal; CONFIG=
	$(BUILD) build/litex/$(LITEX_CONFIG)/demo.elf
	$(LITEX_PYTHON) fpga/litex/sim.py run build/litex/$(LITEX_CONFIG) build/litex/$(LITEX_CONFIG)/demo.elf
