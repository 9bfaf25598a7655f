#!/usr/bin/env bash
# Builds for release, and looks for a difference between being blocked and its twin: in one gateway somebody blocks, in
# another, after the same random history, they do instead what a block has to look like; the other one then tries, asks
# and hears everything there is. Nothing may differ but times, ids and random values, nor how long an answer takes.
# docs/security.md says what came of it.
# Usage: scripts/distinguish.sh [--no-install] [OPTION]...
#   --no-install   says which packages are missing and stops, even for root
#   --histories N  so many (1000)
#   --seed N       the same histories again
#   --plants       first puts differences in, each of which must be found
#   --ignore-time  the table of times is printed and not judged, for a busy machine
# Standard output gets the first difference with its history, or the table of times. The status is 1 for a difference.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"

install=yes
[[ ${1-} != --no-install ]] || { install=no && shift; }
case ${1-} in
-h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
esac
# The broker is in /usr/sbin, which only root has in PATH.
PATH=$PATH:/usr/sbin

need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}" python3
build_release "$root" parleyd parley ParleyBrokerPlugin
# The siege's gateway and its MQTT serve here too.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/Tests/Adversaries/Siege exec python3 "$root/Tests/Oracles/Distinguisher/distinguish.py" "$@"
