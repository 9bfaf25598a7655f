#!/usr/bin/env bash
# Builds for release, and lets 2,000 devices connect 100,000 times in ten minutes to a gateway of its own, with messages
# between: MQTT 3.1.1 and 5, clean and kept sessions, takeovers, ends with and without DISCONNECT.
# Then each device signs in at its first try and hears what is said to it. A refusal, a connection that is closed without
# CONNACK or put out, and a message that was acknowledged and not heard are faults.
# Usage: scripts/churn.sh [--no-install] [--short]
#   --no-install  says which packages are missing and stops, even for root
#   --short       200 devices, 3,000 connects, half a minute
# Everything runs in a temporary directory and is removed. Standard error says how far it is, standard output what was
# counted. The status is 1 if there was a fault.
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

need_packages "$install" "${run_packages[@]}" python3
need_swift
need_packages "$install" "${build_packages[@]}"
build_release "$root" parleyd ParleyBrokerPlugin parley-web

ulimit -S -n 16384 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"
export PYTHONDONTWRITEBYTECODE=1
# A churn that cannot see a fault would find none.
(cd "$root/Tests/Adversaries/Siege" && python3 -m unittest --quiet test_churn)
exec python3 "$root/Tests/Adversaries/Siege/churn.py" "$@"
