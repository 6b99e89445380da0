# SPDX-License-Identifier: Apache-2.0
# What the papers measured, on this machine (experiments/README.md). An interrupted sweep goes on when the command is given again.
# experiment-NAME: the figures go into docs/results/summary.json too.
.PHONY: experiment-qos experiment-attacks experiment-fgq experiment-fgq-more experiment-fgq-full experiment-fgq-900 experiment-fgq-switches experiment-smqos experiment-smqos-80 experiment-qaws experiment-qaws-titanv experiment-preemption experiment-loga experiment-channels experiment-fedcm experiment-guarantee hostile-search hostile-replay programs microbench summary

# $(call sweeps,SWEEPS): one some of whose runs failed (1) has a page too, which says so.
define sweeps
	$(BUILD) build/fast/qsm sw-kernels
	mkdir -p build/sweeps
	for sweep in $(1); do build/fast/qsm sweep experiments/$$sweep.yaml --db build/sweeps/$$sweep.db || [ $$? -eq 1 ] || exit 1; done
endef
define page
	python3 scripts/experiment.py experiments/$(1).md build/sweeps docs/results/experiment_$(1).md
	$(if $(wildcard experiments/$(1).toml),python3 scripts/summary.py experiments/$(1).toml build/sweeps)
endef

# $(call experiment,PAGE,SWEEPS)
define experiment
	$(call sweeps,$(2))
	$(call page,$(1))
endef

experiment-qos: install-sim $(STAMPS)/apt-python ## goals, overshoot and throughput of all pairs under each scheme -> docs/results/experiment_qos_pairs.md
	$(call experiment,qos_pairs,qos_pairs qos_fixed qos_few_warps)

experiment-fgq: install-sim $(STAMPS)/apt-python ## the same on FGQ's machine with its programs, half of its pairs in short, beside Spart -> docs/results/experiment_fgq.md
	$(call sweeps,fgq_short)
	python3 experiments/fgq_why.py --part epochs build/sweeps
	$(call page,fgq)

experiment-fgq-more: install-sim $(STAMPS)/apt-python ## a part of FGQ's pairs at its length, one thing changed at a time, trios, 56 SMs -> docs/results/experiment_fgq_more.md
	$(call sweeps,fgq_schemes fgq_long fgq_trios_short fgq_56_short fgq_causes fgq_causes_spart)
	python3 experiments/fgq_why.py --part counters build/sweeps
	$(call page,fgq_more)

# With SLURM="OPTIONS", those of `qsm sweep --slurm` (docs/cluster.md), --dry-run and --status among them, no page: give the command without it when all is merged.
FGQ_FULL := fgq_pairs fgq_trios fgq_56 fgq_seeds
experiment-fgq-full: install-sim $(STAMPS)/apt-python ## FGQ's whole evaluation at its size, days of CPU time; SLURM="OPTIONS" gives it to a cluster -> docs/results/experiment_fgq_full.md
ifdef SLURM
	$(BUILD) build/fast/qsm sw-kernels
	mkdir -p build/sweeps
	for sweep in $(FGQ_FULL); do build/fast/qsm sweep experiments/$$sweep.yaml --db build/sweeps/$$sweep.db --slurm $(SLURM) || exit 1; done
else
	$(call experiment,fgq_full,$(FGQ_FULL))
endif

experiment-fgq-900: install-sim $(STAMPS)/apt-python ## all of FGQ's pairs and goals under our scheme, in short -> docs/results/experiment_fgq_900.md
	$(call experiment,fgq_900,fgq_900)

# All 90 pairs, two goals, as settled and rollover_paper: build/fast/qsm sweep experiments/fgq_switches_pairs.yaml
experiment-fgq-switches: install-sim $(STAMPS)/apt-python ## the switches of Rollover's controller, alone and together, beside the paper -> docs/results/experiment_fgq_switches.md
	$(call experiment,fgq_switches,fgq_switches)

# The rest, at the paper's size: build/fast/qsm sweep experiments/smqos_goals.yaml --db build/sweeps/smqos_goals.db
experiment-smqos: install-sim $(STAMPS)/apt-python ## SMQoS's machine, programs and figures: SMQoS, Spart, Rollover, Static, Offline, ours -> docs/results/experiment_smqos.md
	$(call sweeps,smqos_pairs smqos_goals_part smqos_alone smqos_named smqos_threshold smqos_trios smqos_both smqos_why)
	python3 scripts/offline.py --goal 95% --label 'SMQoS, moves by switch' experiments/smqos_offline.yaml build/sweeps/smqos_both.db build/sweeps/smqos_offline.db
	$(call page,smqos)

experiment-smqos-80: install-sim $(STAMPS)/apt-python ## the same on 80 SMs, beside persistent workers, Slate, MPS and MIG -> docs/results/experiment_smqos_80.md
	$(call experiment,smqos_80,smqos_80_alone smqos_80 smqos_80_mig smqos_80_why smqos_workers)

experiment-qaws: install-sim $(STAMPS)/apt-python ## response times under QAWS and other policies -> docs/results/experiment_qaws.md
	$(call experiment,qaws,qaws_same qaws_distinct qaws_few_warps)

# At the paper's size: build/fast/qsm sweep experiments/NAME.yaml --db build/sweeps/NAME.db of qaws_threads_later, qaws_threads_same, qaws_threads_distinct
experiment-qaws-titanv: install-sim $(STAMPS)/apt-python ## the same on QAWS's machine with its programs -> docs/results/experiment_qaws_titanv.md
	$(call experiment,qaws_titanv,qaws_threads_part_later qaws_threads_part_same qaws_threads_part_distinct qaws_fifth_same qaws_fifth_distinct)

# A host program of its own, and its kernels.
build/preempt_cost: $(call OBJECT,experiments/preempt_cost.c experiments/qsm_preempt_trial.c experiments/qsm_options.c) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

build/preempt_kernels.elf: experiments/preempt_kernels.c $(SW_DEVICE)
	CLANG=$(CLANG) LLD=$(LLD) sw/bin/qsm-cc -Wall -Wextra -Werror $< -o $@

experiment-preemption: install-sim $(STAMPS)/apt-python ## time of switch, drain and flush by the blocks' size -> docs/results/experiment_preemption.md
	$(BUILD) build/preempt_cost build/preempt_kernels.elf
	mkdir -p build/sweeps/preemption
	build/preempt_cost build/preempt_kernels.elf build/sweeps/preemption
	$(call page,preemption)

# The tests run a part of it (tb/cli/test_loga.sh).
build/loga: $(call OBJECT,experiments/loga.c experiments/qsm_options.c experiments/qsm_tables.c $(TENANTS)) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

experiment-loga: install-sim $(STAMPS)/apt-python ## accounting of GPU time: LoGA, NEON and exact counters, cost, truth, fairness -> docs/results/experiment_loga.md
	$(BUILD) build/loga sw-kernels
	mkdir -p build/sweeps/loga
	build/loga build/sw build/sweeps/loga
	$(call page,loga)

# The tests run a part of it (tb/cli/test_channels.sh).
build/channels: $(call OBJECT,experiments/channels.c experiments/qsm_channel_speed.c experiments/qsm_options.c experiments/qsm_tables.c $(TENANTS)) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

experiment-channels: install-sim $(STAMPS)/apt-python ## command channels: commands per thousand cycles, launch latency, hostile tenants -> docs/results/experiment_channels.md
	$(BUILD) build/channels sw-kernels
	mkdir -p build/sweeps/channels
	build/channels build/sw build/sweeps/channels
	$(call page,channels)

# qsm profile makes the database of profiles that it takes (docs/collocated.md). The tests run a part of it (tb/cli/test_fedcm.sh).
build/fedcm: $(call OBJECT,$(FEDCM_SRCS)) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

# Seven numbers of SMs, for the machine with the larger L2 four, are measured; all: --counts left out, 4 CPU hours.
FEDCM_APPS := squeezenet shufflenet mobilenet fsm fft car hausdorff epistasis resnext
FEDCM_PROFILES = build/fast/qsm profile --size S --out build/sweeps/profiles.db
experiment-fedcm: install-sim $(STAMPS)/apt-python ## applications side by side by masks and cache policy: FedCM, FedC, KRISP, Concurrent, Serial, quotas -> docs/results/experiment_fedcm.md
	$(BUILD) build/fast/qsm build/fast/fedcm sw-kernels
	mkdir -p build/sweeps
	$(FEDCM_PROFILES) --counts 1,4,8,16,24,32,40 $(FEDCM_APPS)
	$(FEDCM_PROFILES) --counts 1,4,8,16,24,32,40 --policies s0 resnet inception
	$(FEDCM_PROFILES) --counts 1,2,4,6,8 --config rdna2+num_sms-8+num_sas-2+num_channels-4 fsm mobilenet hausdorff
	$(FEDCM_PROFILES) --counts 1,8,24,40 --config rdna2+l2_kib-2048 squeezenet shufflenet mobilenet
	build/fast/fedcm build/sw build/sweeps/profiles.db build/sweeps/fedcm.db
	$(call page,fedcm)

build/programs: $(call OBJECT,experiments/programs.c) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

programs: install-sim $(STAMPS)/apt-python ## the suite's programs: sources, sizes, instructions, IPC, divergence -> docs/results/programs.md
	$(BUILD) build/programs sw-kernels
	mkdir -p build/sweeps/programs
	build/programs wang2017 L build/sweeps/programs
	python3 scripts/experiment.py experiments/programs.md build/sweeps docs/results/programs.md

# The tests run it on a small configuration (tb/cli/test_microbench.sh). The page of the default configuration is the one that is kept.
build/microbench: $(call OBJECT,experiments/microbench.c experiments/qsm_tables.c) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

build/micro_kernels.elf: experiments/micro_kernels.c $(SW_DEVICE)
	CLANG=$(CLANG) LLD=$(LLD) sw/bin/qsm-cc -Wall -Wextra -Werror $< -o $@

MICROBENCH_CONFIG := $(if $(filter command,$(origin CONFIG)),$(CONFIG),wang2017)
MICROBENCH_PAGE := $(if $(filter wang2017,$(MICROBENCH_CONFIG)),docs/results,build/sweeps/microbench)/microbench.md
microbench: install-sim $(STAMPS)/apt-python ## latency, throughput, bandwidth of a configuration's parts beside published figures: CONFIG= (wang2017) -> docs/results/microbench.md
	$(BUILD) build/microbench build/micro_kernels.elf
	mkdir -p build/sweeps/microbench
	build/microbench --config $(MICROBENCH_CONFIG) build/micro_kernels.elf build/sweeps/microbench
	python3 scripts/experiment.py experiments/microbench.md build/sweeps $(MICROBENCH_PAGE)
	@echo $(MICROBENCH_PAGE)

# A host program of its own, and its kernels; the tests use both (tb/host/test_attacks.c).
build/attacks: $(call OBJECT,experiments/attacks.c $(ATTACKS)) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

build/attack_kernels.elf: experiments/attack_kernels.c $(SW_DEVICE)
	CLANG=$(CLANG) LLD=$(LLD) sw/bin/qsm-cc -Wall -Wextra -Werror --stack stack_overflow=64 --stack calls=64 $< -o $@

experiment-attacks: install-sim $(STAMPS)/apt-python ## an honest program beside each of sixty attacks -> docs/results/experiment_attacks.md
	$(BUILD) build/attacks build/attack_kernels.elf sw-kernels
	mkdir -p build/sweeps/attacks
	build/attacks build/attack_kernels.elf build/sweeps/attacks
	$(call page,attacks)

# The hostile set and what judges schemes by it (experiments/guarantee.yaml lists the schemes).
build/hostile_kernels.elf: experiments/hostile_kernels.c $(SW_DEVICE)
	CLANG=$(CLANG) LLD=$(LLD) sw/bin/qsm-cc -Wall -Wextra -Werror $< -o $@

build/hostile_search: $(call OBJECT,experiments/hostile_search.c experiments/qsm_genes.c experiments/qsm_options.c $(ATTACKS)) build/libqsm_host.a build/libqsm_model.a
	$(CC) $(CFLAGS) $^ $(HOST_LIBS) -o $@

HOSTILE_KEPT = build/hostile_kernels.elf $(sort $(wildcard experiments/hostile/*.txt))
GUARANTEE_SIZE = $(if $(FULL),S,T)
GUARANTEE_SWEEPS := guarantee guarantee_offline guarantee_fgq guarantee_trios guarantee_smqos guarantee_qaws guarantee_goals
experiment-guarantee: install-sim $(STAMPS)/apt-python ## all schemes on the hostile set and the papers' cases; FULL=1: all cases, goals and schemes, hours -> docs/results/experiment_guarantee.md
	$(BUILD) build/fast/qsm build/fast/fedcm build/hostile_search build/attack_kernels.elf build/hostile_kernels.elf sw-kernels
	mkdir -p build/sweeps
	python3 experiments/guarantee.py $(if $(FULL),--full) build/sweeps
	build/hostile_search --replay $(HOSTILE_SCHEMES) $(HOSTILE_KEPT) > build/sweeps/guarantee/found.md
	for sweep in $(GUARANTEE_SWEEPS); do build/fast/qsm sweep build/sweeps/$$sweep.yaml --db build/sweeps/$$sweep.db || [ $$? -eq 1 ] || exit 1; done
	build/fast/qsm profile --size $(GUARANTEE_SIZE) --out build/sweeps/profiles.db --counts 1,2,4,6,8 --config rdna2+num_sms-8+num_sas-2+num_channels-4 fsm mobilenet hausdorff
	build/fast/fedcm --part aim --size $(GUARANTEE_SIZE) --requests $(if $(FULL),20,40) build/sw build/sweeps/profiles.db build/sweeps/guarantee_fedcm.db
	$(call page,guarantee)

# SCHEME= as a scenario has it, further keys behind ;.
SCHEME ?= rollover
HOSTILE_SCHEMES ?= -s none -s rollover -s 'rollover; quota_rules: [carried, pooled]' -s 'rollover; adjust: switch' -s rollover_time -s pace -s 'pace; adjust: switch'
HOSTILE_CONFIG := $(if $(filter command,$(origin CONFIG)),$(CONFIG),demo+num_sms-1+epoch-2000+l1_kib-4+l2_kib-16+dram_banks-8)
CANDIDATES ?= 50000
hostile-search: install-sim ## looks for programs that make a victim miss its goal: SCHEME= CANDIDATES= SEED= CONFIG= -> build/hostile/
	$(BUILD) build/hostile_search build/hostile_kernels.elf sw-kernels
	mkdir -p build/hostile
	build/hostile_search -s '$(SCHEME)' -c $(HOSTILE_CONFIG) -n $(CANDIDATES) -r $(SEED) -k 16 $(addprefix -v ,vadd matmul lud pathfinder bfs gaussian) build/hostile_kernels.elf build/hostile

# Over 40 epochs: the 8 of the search are shorter than phases of bfs, gaussian and lud.
hostile-replay: SCHEME = pace; adjust: switch
hostile-replay: install-sim ## runs those that were kept in experiments/hostile/ under SCHEME= (pace, blocks adjusted); wrong if one leaves its victim below 99 % of its goal, or of what it reaches beside silence, or below what the program says
	$(BUILD) build/hostile_search build/hostile_kernels.elf sw-kernels
	build/hostile_search --replay --silent --at-least 99 -e 40 -s '$(SCHEME)' $(HOSTILE_KEPT)

# Each experiment takes its own figures in; this makes the pages anew from what is there.
summary: $(STAMPS)/apt-python ## papers against ours: docs/results/summary.json -> summary.md, README.md
	python3 scripts/summary.py
