#!/usr/bin/env bash
# Builds for release, and kills, stops and cuts off cells and their database under load: what was answered must be there
# once and in its place, everybody must hear all in one order, and whoever was cut off nothing more. docs/scaling.md has
# the figures.
# Usage: scripts/trial-cells.sh [--no-install] [TRIAL]... [OPTION]...
#   --no-install  says which packages are missing and stops, even for root
#   TRIAL         kills, promotions, partitions, stops, removals or doorbell; all of them by default, which takes an hour
#   OPTION        what `parley-trials cells` takes: --count N rounds (300, 20, 100, 10, 10000 and 1000), --short for few of
#                 each, --seed N, --served-within MS (3000), --heard-within MS (500), --lanes N removals at a time (24),
#                 --scratch DIR, --markdown; --control asynchronous-standby, tail-by-position or no-fencing to see that such a fault is found
# Partitions need root: each cell gets a network of its own. Without root they are left out.
# Everything runs in temporary directories, on PostgreSQL servers of its own, and is removed. Standard output gets a table
# of each trial, standard error how far it has come. The status is 1 if anything was lost, double or otherwise than it must
# be, or if a device was served too late.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"

install=yes
[[ ${1-} != --no-install ]] || { install=no && shift; }
case ${1-} in
-h | --help) sed -n '2,/^set /{/^# /s/^# //p}' "$0" && exit ;;
esac
need_swift
need_packages "$install" "${build_packages[@]}" "${postgresql_build_packages[@]}" "${run_packages[@]}" \
    "${cells_packages[@]}" "${trial_packages[@]}"
export PARLEY_POSTGRESQL_STORE=yes
build_release "$root" parleyd ParleyBrokerPlugin
# Where programs were built before, what tries them may be of the tests' build.
program=$binaries/parley-trials
[[ -z ${PARLEY_PRODUCTS-} || -x $program ]] || program=$root/.build/debug/parley-trials
[[ -n ${PARLEY_PRODUCTS-} && -x $program ]] || { build_release "$root" parley-trials && program=$binaries/parley-trials; }
export PARLEY_PRODUCTS=$binaries
toolchain=$(swift --version 2>/dev/null | sed -nE 's/.*(Swift version [0-9.]+).*/\1/p')

trials=()
while [[ ${1-} =~ ^[a-z] ]]; do trials+=("$1") && shift; done
[[ ${trials[*]-} || " $* " == *' --control '* ]] || trials=(kills promotions stops partitions removals doorbell)
PATH=$PATH:/usr/sbin
alone=()
if unshare --net true 2>/dev/null; then
    # Nothing else on this machine is disturbed, or has ports.
    alone=(unshare --net -- bash -c 'ip link set lo up && exec "$@"' bash)
elif [[ " ${trials[*]-} " == *' partitions '* ]]; then
    ((${#trials[@]} > 1)) || fail "partitions need networks of their own, which only root may make"
    say "without partitions: they need networks of their own, which only root may make"
    left=()
    for trial in "${trials[@]}"; do [[ $trial == partitions ]] || left+=("$trial"); done
    trials=("${left[@]}")
fi

exec "${alone[@]}" "$program" cells "${trials[@]}" \
    --template "$root/broker-config/development.conf" --toolchain "$toolchain" "$@"
