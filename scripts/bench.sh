#!/usr/bin/env bash
# Builds for release and measures the gateway or the ciphers; docs/performance.md says what the figures mean.
# Usage: scripts/bench.sh [--no-install] [COMMAND] [OPTION]...
#   --no-install  says which packages are missing and stops, even for root
#   COMMAND       compare (the gateway beside relays, the default), store-size (a large database), backup (messages beside
#                 a backup of one), restore (one put back, with devices that have later messages), lists (pages of
#                 conversations), sync (bringing a device up to date), workouts (boards of groups, and the end of a week),
#                 web (the web door), sign-ins (messages beside attempts to sign in), json (what the dearest payloads
#                 cost), crypto (sealing and opening messages), file (sealing and opening a large attachment), blobs (a
#                 large file through the web door, beside messages), cells (gateways over one PostgreSQL beside one over
#                 SQLite), writers (two cells that write into the same conversations), both built with PostgreSQL, or page
#                 (the page in Chromium and Firefox: its first load, and a conversation of 10,000 messages;
#                 PARLEY_MESSAGES says how many)
#   OPTION        what `parley-bench COMMAND` takes: see scripts/bench.sh COMMAND --help; --quick is for a first look
# Everything runs in a temporary directory (below TMPDIR, which should be on a disk like a gateway's) and is removed.
# Standard output gets the tables. The status is 1 if a message was lost, doubled, out of order or refused.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"

install=yes
case ${1-} in
-h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
--no-install) install=no && shift ;;
esac
command=compare
case ${1-} in
compare | store-size | backup | restore | lists | sync | workouts | web | sign-ins | json | crypto | file | blobs | cells | \
    writers)
    command=$1 && shift
    ;;
page)
    shift
    arguments=(--figures "$@")
    [[ $install == yes ]] || arguments+=(--no-install)
    exec "$root/scripts/test-page.sh" "${arguments[@]}"
    ;;
-* | '') ;;
*) fail "there is no command $1; see scripts/bench.sh --help" ;;
esac

need_swift
packages=("${build_packages[@]}" "${run_packages[@]}")
case $command in
cells | writers)
    export PARLEY_POSTGRESQL_STORE=yes
    packages+=("${postgresql_build_packages[@]}" postgresql)
    ;;
esac
need_packages "$install" "${packages[@]}"
products=(parley-bench)
options=()
case $command in
compare | store-size | backup | restore | workouts | web | sign-ins | blobs | cells | writers)
    products+=(parleyd ParleyBrokerPlugin)
    [[ ! $command =~ ^(web|blobs)$ ]] || products+=(parley-web)
    [[ $command != restore ]] || products+=(parley)
    options+=(--template "$root/broker-config/development.conf")
    ;;
esac
build_release "$root" "${products[@]}"
toolchain=$(swift --version 2>/dev/null | sed -nE 's/.*(Swift version [0-9.]+).*/\1/p')

exec "$binaries/parley-bench" "$command" "${options[@]}" --toolchain "$toolchain" "$@"
