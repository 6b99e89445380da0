#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The header of libqsm in C++, with each compiler that there is; the host links with the library.
. "$(dirname "$0")/../tap.sh"
export QSM_ROOT=$PWD

read -r -a libraries < <(sed -n "s/^HOST_LIBS := //p" mk/host.mk)
for compiler in clang++-19 g++; do
  command -v "$compiler" >/dev/null || continue
  for standard in 11 20; do
    seen=$("$compiler" -std=c++$standard -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -Isw/libqsm -Ic_model tb/host/header.cpp build/libqsm_host.a build/libqsm_model.a "${libraries[@]}" -o "$work/host" 2>&1 && "$work/host")
    verdict "a C++$standard host, $compiler" "$seen" "success, 5"
  done
done
finish
