#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manifests (*.core) are what FuseSoC reads: its lists of files are those that the build uses; a lint and a bench run from an empty
# folder, as in somebody else's project. Bender.yml has the same files.
. "$(dirname "$0")/../tap.sh"
tree=$PWD

build/venv/bin/python tb/cores/compare.py . >"$work/compare" 2>"$work/warnings"
code=$?
verdict 'every target of every manifest: the files that FuseSoC finds' "$code $(grep -c '^ok ' "$work/compare") $(grep -v '^ok ' "$work/compare")$(grep -A99 Traceback "$work/warnings")" \
  "0 $(find rtl configs tb/unit -name '*.core' | wc -l) 1..$(find rtl configs tb/unit -name '*.core' | wc -l)"

build/venv/bin/python scripts/cores.py bender >"$work/Bender.yml" 2>&1
verdict 'Bender.yml is up to date (else: scripts/cores.py bender > Bender.yml)' "$(diff Bender.yml "$work/Bender.yml")" ''
verdict 'Bender.yml has every file of the RTL, once' \
  "$(build/venv/bin/python -c 'import yaml; print("\n".join(sorted(f for group in yaml.safe_load(open("Bender.yml"))["sources"] for f in group["files"])))')" \
  "$(find rtl -name '*.sv' | LC_ALL=C sort)"

# fusesoc ARGUMENTS...: from an empty folder; what it builds runs for a moment, and is not optimised.
fusesoc() {
  (cd "$work" && MAKEFLAGS='OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0' "$tree/build/venv/bin/fusesoc" --cores-root "$tree/rtl" --cores-root "$tree/configs" --cores-root "$tree/tb/unit" "$@") >"$work/log" 2>&1
  code=$?
  [ $code -eq 0 ] || sed 's/^/# /' "$work/log"
}
fusesoc run --target lint qsm:rtl:quota
verdict 'fusesoc run --target lint qsm:rtl:quota' $code 0
fusesoc run --target lint qsm:rtl:xbar
verdict 'the same of a block that needs a configuration' $code 0
fusesoc run --no-export --target k3s2w3 qsm:tb:idle_sampler
verdict 'fusesoc run --target k3s2w3 qsm:tb:idle_sampler' "$code $(grep -c '^ok ' "$work/log") $(grep -c '^not ok ' "$work/log")" \
  "0 $(build/unit/idle_sampler/k3s2w3/run | grep -c '^ok ') 0"
fusesoc run --no-export --target tiny qsm:tb:xbar
verdict 'the same of a bench with a configuration' "$code $(grep -c '^ok ' "$work/log") $(grep -c '^not ok ' "$work/log")" \
  "0 $(build/unit/xbar/tiny/run | grep -c '^ok ') 0"
finish
