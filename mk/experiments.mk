# SPDX-License-Identifier: Apache-2.0
# What the papers measured, on this machine (experiments/README.md). An interrupted sweep goes on when the command is given again.
.PHONY: experiment-qos experiment-qaws

# $(call experiment,PAGE,SWEEPS): a sweep some of whose runs failed (1) has a page too, which says so.
define experiment
	$(BUILD) build/qsm sw-kernels
	for sweep in $(2); do build/qsm sweep experiments/$$sweep.yaml || [ $$? -eq 1 ] || exit 1; done
	python3 scripts/experiment.py experiments/$(1).md build/sweeps docs/results/experiment_$(1).md
endef

experiment-qos: install-sim $(STAMPS)/apt-python ## goals, overshoot and throughput of all pairs under each scheme -> docs/results/experiment_qos_pairs.md
	$(call experiment,qos_pairs,qos_pairs)

experiment-qaws: install-sim $(STAMPS)/apt-python ## response times under QAWS and other policies -> docs/results/experiment_qaws.md
	$(call experiment,qaws,qaws_same qaws_distinct)
