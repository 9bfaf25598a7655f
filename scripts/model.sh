#!/usr/bin/env bash
# Compares the permission engine with an oracle that looks back through what people did: complete models of two and
# three people, random histories, and faults planted to see that they are found. Then the broker's plugin with an oracle of
# the contract's table of topics: who may publish, subscribe to and receive what. Then the boards of groups with one that goes
# from day to day.
# Usage: scripts/model.sh [--no-install] [--short] [OPTION]...
#   --no-install  says which packages are missing and stops, even for root
#   --short       a tenth of what is random, and orders of one event less: two minutes
#   OPTION        --depth N (6), --histories N (1000000), --length N (30), --questions N (1000000), --boards N (100000), --rights-only, --boards-only, --seed N: what parley-model takes
# Takes some minutes on two processors. Standard output gets what was compared, how often each verdict was, and the seed. The
# status is 1 if engine and oracle disagree, with the shortest story that leads there.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"

install=yes short=()
while (($#)); do
    case $1 in
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    --no-install) install=no ;;
    --short) short=(--depth 5 --histories 100000 --questions 100000 --boards 10000) ;;
    *) break ;;
    esac
    shift
done

need_swift
need_packages "$install" "${build_packages[@]}"
build_release "$root" parley-model

exec "$binaries/parley-model" "${short[@]}" "$@"
