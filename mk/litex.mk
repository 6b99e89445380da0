# SPDX-License-Identifier: Apache-2.0
# An SoC with the GPU in it, in LiteX' simulator (docs/soc.md): the SoC once, then the program of its CPU, which is read when it starts.
#   build/litex/CONFIG/soc            make litex-sim CONFIG=NAME
#   build/litex/NAME.elf              programs for its CPU
#   build/litex/host                  the same program on a backend of libqsm
LITEX_CONFIG = $(if $(filter command,$(firstword $(origin CONFIG))),$(CONFIG),tiny+l2_kib-1)
LITEX_PYTHON := build/venv/bin/python
LITEX_SOC := fpga/litex/sim.py fpga/litex/qsm_litex.py fpga/litex/qsm_sim_end.sv requirements-litex.txt
LITEX_IMAGES := vadd matmul
LITEX_HEADERS := fpga/litex/demo.h sw/bare/qsm_bare.h $(addprefix c_model/,qsm_config.h qsm_regs.h qsm_enums.h)
LITEX_PROGRAM := fpga/litex/soc.c fpga/litex/demo.c sw/bare/qsm_bare.c
LITEX_INCLUDE := -Ic_model -Isw/bare -Ifpga/litex

build/qsm-image: $(call OBJECT,sw/bare/qsm_image_main.c sw/libqsm/qsm_elf.c)
	$(CC) $(CFLAGS) $^ -lelf -o $@
build/obj/sw/bare/%.o build/obj/fpga/litex/%.o build/obj/build/litex/%.o: CPPFLAGS += -Isw/bare -Ifpga/litex

# $(call litex_image,NAME,PROGRAM.elf): in a file of that name.
define litex_image
	mkdir -p $(@D)
	build/qsm-image $(1)_program $(2) > $@
endef
build/litex/%.c: build/sw/%.elf build/qsm-image
	$(call litex_image,$*,$<)

build/litex/host: $(call OBJECT,fpga/litex/host.c fpga/litex/demo.c sw/bare/qsm_bare.c $(LITEX_IMAGES:%=build/litex/%.c)) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

# Verilator's files come out the same, so that a cache of compilations helps.
build/litex/%/soc: build/cfg/%/files.f $(RTL_SRCS) $(RTL_HEADERS) $(LITEX_SOC)
	echo 'Verilating the SoC with $*'
	mkdir -p $(@D)
	$(LITEX_PYTHON) fpga/litex/sim.py soc $(@D) $< > $(@D)/litex.log 2>&1 || { tail -n 20 $(@D)/litex.log >&2; exit 1; }
	touch $@
.PRECIOUS: build/litex/%.c build/litex/%/soc

# $(call litex_program,CONFIG,IMAGES): the program with these images of kernels.
litex_program = $(LITEX_PYTHON) fpga/litex/sim.py program build/litex/$(1) $@ $(LITEX_PROGRAM) $(2) $(LITEX_INCLUDE)
build/litex/%/demo.elf: build/litex/%/soc $(LITEX_PROGRAM) $(LITEX_HEADERS) $(LITEX_IMAGES:%=build/litex/%.c)
	$(call litex_program,$*,$(LITEX_IMAGES:%=build/litex/%.c))

.PHONY: litex-sim
litex-sim: install-sim $(STAMPS)/apt-litex $(STAMPS)/pip-litex ## an SoC with the GPU in LiteX' simulator: a program on its CPU runs two kernels under a goal; CONFIG=
	$(BUILD) build/litex/$(LITEX_CONFIG)/demo.elf
	$(LITEX_PYTHON) fpga/litex/sim.py run build/litex/$(LITEX_CONFIG) build/litex/$(LITEX_CONFIG)/demo.elf
