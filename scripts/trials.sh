#!/usr/bin/env bash
# Builds for release, and cuts people off at random moments of busy conversations: what is published later must not
# reach them, live or queued. docs/security.md says what is counted.
# Usage: scripts/trials.sh [--no-install] [OPTION]...
#   --no-install  says which packages are missing and stops, even for root
#   OPTION        what `parley-trials` takes: --trials N (1000), --seed N, --lanes N at a time (4), --cuts KIND... of
#                 remove, leave, block, revoke and operator-revoke, --without-cut to see that all arrives then,
#                 --scratch DIR, --markdown
# Everything runs in a temporary directory and is removed. Standard output gets a table, standard error how far it has
# come. The status is 1 if anything reached somebody who was cut off.
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
need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}"
build_release "$root" parley-trials parleyd ParleyBrokerPlugin
toolchain=$(swift --version 2>/dev/null | sed -nE 's/.*(Swift version [0-9.]+).*/\1/p')

exec "$binaries/parley-trials" --template "$root/broker-config/development.conf" \
    --toolchain "$toolchain" "$@"
