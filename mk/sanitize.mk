# SPDX-License-Identifier: Apache-2.0
# The C programs and tests once more with the address and undefined-behaviour sanitizers, objects apart in build/san/.
# The Verilated GPUs that they open are the ordinary ones.
SAN_CFLAGS := -O1 -g1 -march=$(ARCH) -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
SAN_OBJECT = $(patsubst %.c,build/san/obj/%.o,$(1))
SAN_LIBRARY := $(call SAN_OBJECT,$(MODEL_SRCS) $(HOST_SRCS) tb/fp/fp_ref.c tb/fp/fp_operands.c)
SAN_PROGRAMS := build/san/qsm build/san/faulty $(C_TEST_SRCS:tb/%.c=build/san/tests/%)

SAN_PLAIN := build/san/qsm-plain build/san/faulty-plain

.PHONY: sanitize install-valgrind
sanitize: install-sim install-valgrind ## C tests and runs under the sanitizers, a run under valgrind
	$(BUILD) $(SAN_PROGRAMS) $(SAN_PLAIN) sw-kernels build/rtl/tiny.so build/rtl/odd.so
	mkdir -p build
	printf '%s\n' $(wildcard tb/sanitize/test_*.sh) > build/sanitize.list
	QSM_TEST_FULL=1 scripts/run_tests.sh build/sanitize.list build/sanitize-logs

install-valgrind: $(STAMPS)/apt-valgrind
$(STAMPS)/apt-valgrind: mk/sanitize.mk
	scripts/apt_install.sh valgrind && mkdir -p $(@D) && touch $@

# What tb/sanitize/ runs.
test-build: $(SAN_PROGRAMS) $(if $(QSM_TEST_FULL),$(SAN_PLAIN))
test-full: install-valgrind

build/san/%: CFLAGS := $(SAN_CFLAGS)
build/san/obj/sim/%.o: CPPFLAGS += -DQSM_SOURCE_ROOT='"$(CURDIR)"'
build/san/obj/tb/%.o: WARNINGS += -Wno-conversion
build/san/obj/tb/%.o: CPPFLAGS += -Itb/fp -Iexperiments

build/san/obj/%.o: %.c mk/sanitize.mk
	mkdir -p $(@D)
	$(CCACHE) $(COMPILE) -c $< -o $@

build/san/libqsm.a: $(SAN_LIBRARY)
	rm -f $@
	ar rcs $@ $^

build/san/qsm: build/san/obj/sim/qsm_main.o build/san/libqsm.a
build/san/faulty: build/san/obj/tb/sanitize/faulty.o
build/san/qsm build/san/faulty:
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

# For valgrind, which knows neither clang's newest debug format nor every instruction of the processor at hand.
build/san/%-plain: CFLAGS := -O1 -gdwarf-4 -march=x86-64
build/san/qsm-plain: sim/qsm_main.c $(HOST_SRCS) $(MODEL_SRCS)
build/san/faulty-plain: tb/sanitize/faulty.c
build/san/qsm-plain build/san/faulty-plain:
	mkdir -p $(@D)
	$(COMPILE) -DQSM_SOURCE_ROOT='"$(CURDIR)"' $^ $(HOST_LIBS) -o $@

define san_test_rule
build/san/tests/$(1): build/san/obj/tb/$(1).o $(call SAN_OBJECT,$(call c_test_helpers,$(patsubst %/,%,$(dir $(1)))) $(HELPERS_$(1))) build/san/libqsm.a
	mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$^ -lcmocka $$(HOST_LIBS) $$(FP_REF_LIBS) -o $$@
endef
$(foreach test,$(C_TEST_SRCS:tb/%.c=%),$(eval $(call san_test_rule,$(test))))

-include $(shell find build/san -name '*.d' 2>/dev/null)
