#!/usr/bin/env bash
# Builds for release, and puts an hour of mixed load on a gateway of its own: chats, groups, receipts, reactions, typing,
# lists, workouts, activity, reconnects, sign-ins, and pushes to a webhook. Then memory of broker and gateway, the bytes
# that a stored row takes, the time of a sign-in and p50 and p99 of deliveries are to be what they were after five minutes.
# Usage: scripts/soak.sh [--no-install] [--minutes N]
#   --no-install  says which packages are missing and stops, even for root
#   --minutes N   60 by default. Of fewer than 15 the first third is for warming up, and the last third is compared with
#                 the second
# Everything runs in a temporary directory and is removed. Standard output gets a line every ten seconds, and at the end
# each measure with its slope. The status is 1 if something grew, or was lost, refused or ended.
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

export PYTHONDONTWRITEBYTECODE=1
# A soak that cannot see growth would find none.
(cd "$root/Tests/Adversaries/Siege" && python3 -m unittest --quiet test_soak)
exec python3 "$root/Tests/Adversaries/Siege/soak.py" "$@"
