# SPDX-License-Identifier: Apache-2.0
# What targets need beyond Debian 12 with git and make. A group is installed once: a stamp remembers it, and is dropped
# when the group's list has changed or one of its commands is gone.
STAMPS := build/.stamps

SIM_PACKAGES := verilator clang-19 libclang-rt-19-dev lld-19 llvm-19 libcyaml-dev libyaml-dev libsqlite3-dev libcjson-dev libcmocka-dev libmpfr-dev libelf-dev libdw-dev zlib1g-dev uthash-dev gnuplot-nox python3-yaml
SIM_COMMANDS := verilator clang-19 ld.lld-19 llvm-objdump-19 llvm-profdata-19 gnuplot
WAVES_PACKAGES := gtkwave
WAVES_COMMANDS := gtkwave fst2vcd
LINT_PACKAGES := gcc
LINT_COMMANDS := gcc
PYTHON_PACKAGES := python3 python3-venv
PYTHON_COMMANDS := python3
FPGA_PACKAGES := openfpgaloader
FPGA_COMMANDS := openFPGALoader
LITEX_PACKAGES := libevent-dev libjson-c-dev zlib1g-dev
LITEX_COMMANDS :=
DOCS_PACKAGES := graphviz
DOCS_COMMANDS := dot

# $(call missing,COMMANDS): those that are not on the path.
missing = $(foreach command,$(1),$(if $(shell command -v $(command)),,$(command)))
drop_stale = $(if $(call missing,$($(1)_COMMANDS)),$(shell rm -f $(STAMPS)/apt-$(2)))
$(call drop_stale,SIM,sim)$(call drop_stale,WAVES,waves)$(call drop_stale,LINT,lint)$(call drop_stale,PYTHON,python)$(call drop_stale,DOCS,docs)$(call drop_stale,FPGA,fpga)$(call drop_stale,LITEX,litex)

.PHONY: install-sim install-waves install-lint install-area install-docs
install-sim: $(STAMPS)/apt-sim
install-waves: $(STAMPS)/apt-waves
install-lint: $(STAMPS)/apt-sim $(STAMPS)/apt-lint $(STAMPS)/pip-lint
install-area: $(STAMPS)/apt-sim $(STAMPS)/pip-area
install-docs: $(STAMPS)/apt-docs $(STAMPS)/pip-docs

$(STAMPS)/apt-sim: mk/install.mk
	scripts/apt_install.sh $(SIM_PACKAGES) && mkdir -p $(@D) && touch $@
$(STAMPS)/apt-waves: mk/install.mk
	scripts/apt_install.sh $(WAVES_PACKAGES) && mkdir -p $(@D) && touch $@
$(STAMPS)/apt-lint: mk/install.mk
	scripts/apt_install.sh $(LINT_PACKAGES) && mkdir -p $(@D) && touch $@
$(STAMPS)/apt-python: mk/install.mk
	scripts/apt_install.sh $(PYTHON_PACKAGES) && mkdir -p $(@D) && touch $@
$(STAMPS)/apt-fpga: mk/install.mk
	scripts/apt_install.sh $(FPGA_PACKAGES) && mkdir -p $(@D) && touch $@
$(STAMPS)/apt-litex: mk/install.mk
	scripts/apt_install.sh $(LITEX_PACKAGES) && mkdir -p $(@D) && touch $@
$(STAMPS)/apt-docs: mk/install.mk
	scripts/apt_install.sh $(DOCS_PACKAGES) && mkdir -p $(@D) && touch $@

# Python tools live in build/venv, versions pinned in requirements-GROUP.txt.
$(STAMPS)/pip-%: requirements-%.txt | $(STAMPS)/apt-python
	scripts/venv_install.sh build/venv $< && mkdir -p $(@D) && touch $@
