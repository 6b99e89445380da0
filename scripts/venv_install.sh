#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs pinned Python packages into a virtual environment: venv_install.sh FOLDER REQUIREMENTS
set -euo pipefail
venv=$1 requirements=$2

mkdir -p "$(dirname "$venv")"
exec 9>"$venv.lock"  # groups may be installed at the same time
flock 9
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
echo "Installing into $venv: $(grep -o '^[^#=]*==[^ ]*' "$requirements" | paste -sd ' ')"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
