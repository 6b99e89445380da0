# SPDX-License-Identifier: Apache-2.0
# A kernel NAME.c with its host program main.c. After `make host` in the top folder: `make` builds both, `make run` runs them
# (BACKEND=model|rtl|lockstep).
ROOT := $(abspath ../..)
BUILD := $(ROOT)/build/examples
CC := clang-19
BACKEND ?= model
CONFIG ?= demo

.PHONY: all run
all: $(BUILD)/$(NAME) $(BUILD)/$(NAME).elf

run: all
	$(BUILD)/$(NAME) $(BUILD)/$(NAME).elf $(BACKEND) $(CONFIG)

$(BUILD)/$(NAME).elf: $(NAME).c
	mkdir -p $(@D)
	$(ROOT)/sw/bin/qsm-cc $< -o $@

$(BUILD)/$(NAME): main.c $(ROOT)/build/libqsm_host.a $(ROOT)/build/libqsm_model.a
	mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -I$(ROOT)/sw/libqsm -I$(ROOT)/c_model $^ -lcyaml -lyaml -lcjson -lelf -ldl -lm -o $@
