# SPDX-License-Identifier: Apache-2.0
# Proofs of the scheduling blocks (tb/formal/README.md), with tools in build/venv. What has passed runs again only if its files change.
# PROOF=PATTERN runs some; only a run of all writes the page.
FORMAL_JOBS ?= 2

.PHONY: formal install-formal
install-formal: $(STAMPS)/pip-formal $(STAMPS)/pip-lint
# tb/formal/test_formal.sh runs the quick ones.
test test-full: install-formal

formal: install-sim install-formal ## proofs of the scheduling blocks by SymbiYosys -> docs/results/formal.md; PROOF=PATTERN for some
	$(BUILD) build/cfg/tiny/files.f build/cfg/odd/files.f build/cfg/tiny+cmd_channels-3+num_groups-2+num_kernels-2/files.f build/cfg/odd+num_channels-4+num_sms-5/files.f
	build/venv/bin/python tb/formal/formal.py tb/formal/proofs.txt tb/formal/broken.txt build/formal --jobs $(FORMAL_JOBS) \
	  $(if $(PROOF),--pattern '$(PROOF)',--table docs/results/formal.md)
