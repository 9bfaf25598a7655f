#!/usr/bin/env bash
# Builds for release, and plays attackers beside twenty honest users who send five messages a second each, on a gateway
# of its own. docs/decisions/0035-attackers-beside-honest-users.md says what is measured and what must hold.
# Usage: scripts/siege.sh [--no-install] [OPTION]...
#   --no-install      says which packages are missing and stops, even for root
#   --only ATTACK...  these attacks and no others
#   --short           a few seconds each, one after another on one gateway; no latency is judged
#   --after PERIOD    after what a hostile user may have gathered in a day, a week or a month within the
#                     limits; with --short in the twentieth part of a day
#   --seconds N       each round of an attack goes on so long
#   --without-limits  with limits so high that they hold nothing back: shows what they are for
#   --logs DIR        keeps what the programs have logged
#   --markdown        the table once more, for a document
#   --list            says what each attack is
# Takes half an hour, --short three minutes. Everything runs in a temporary directory and is removed. Standard
# output gets a row an attack, standard error what the attackers did. The status is 1 if anything did not hold.
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

need_packages "$install" "${run_packages[@]}" haproxy openssl python3
if [[ " $* " != *" --list "* ]]; then
    need_swift
    need_packages "$install" "${build_packages[@]}"
    build_release "$root" parleyd parley ParleyBrokerPlugin parley-web
fi

# A connection takes a descriptor, here and in the broker, and the usual limit of 1024 is less than some attacks open.
ulimit -S -n 16384 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"
export PYTHONDONTWRITEBYTECODE=1
# A siege that cannot see a breach would find none.
(cd "$root/Tests/Adversaries/Siege" && python3 -m unittest --quiet test_siege)
exec python3 "$root/Tests/Adversaries/Siege/siege.py" "$@"
