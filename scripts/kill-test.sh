#!/usr/bin/env bash
# Kills the gateway and its broker at random moments under load, and checks that nothing that was answered is lost.
# Usage: scripts/kill-test.sh [--no-install] [PARLEYD [MOSQUITTO [SEED]]]
#        scripts/kill-test.sh [--no-install] --web [KILLS [SEED]]
#   --no-install  says which packages are missing and stops, even for root
#   PARLEYD       kill -9 of parleyd in each of the two runs, 50 by default
#   MOSQUITTO     kill -9 of Mosquitto in the second run, 10 by default
#   SEED          decides the moments of the kills; another one each time by default
#   --web         kills the web door instead
#   KILLS         kill -9 of it, 200 by default
# The release build is tested, by the same tests that run with all others in small: Tests/Integration/Kill. In the
# first run devices send each request once and the broker is left alone; in the second they repeat until they have a
# reply. With --web apps post and listen at the door, repeat until they are answered and resume by their cursors; with
# few kills it is a gate of scripts/test.sh --everything. Standard output gets a table of each run. The status is 1 if
# something was lost, doubled or out of order.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root"
. scripts/lib/say.sh
. scripts/lib/packages.sh
. scripts/lib/toolchain.sh
. scripts/lib/build.sh

install=yes
case ${1-} in
-h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
--no-install) install=no && shift ;;
esac
web=no most=3
[[ ${1-} != --web ]] || { web=yes most=2 && shift; }
for number; do
    [[ $number =~ ^[0-9]{1,6}$ ]] || fail "«$number» is no number; see scripts/kill-test.sh --help"
done
(($# <= most)) || fail "there are at most $most numbers; see scripts/kill-test.sh --help"

need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}"
if [[ $web == yes ]]; then
    build_release "$root" parleyd ParleyBrokerPlugin parley-web parley-bench
    exec "$binaries/parley-bench" web-kills --kills "${1-200}" ${2+--seed "$2"}
fi
build_release "$root" parleyd ParleyBrokerPlugin
say "building the tests"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift build "${swift_flags[@]}" --build-tests >"$log" 2>&1 || { cat "$log" >&2 && fail "the tests do not build"; }

export PARLEY_PRODUCTS=$binaries
export PARLEY_KILLS_PARLEYD=${1-50} PARLEY_KILLS_MOSQUITTO=${2-10}
[[ -z ${3-} ]] || export PARLEY_KILL_SEED=$3
say "killing"
status=0
swift test --skip-build --disable-xctest --filter '[.]KillTests/' >"$log" 2>&1 || status=1
grep -E '^(kills:|\|)' "$log" || true
((status == 0)) || { grep '✘' "$log" >&2 && fail "something did not survive"; }
grep -q 'Test run with 2 tests.* passed' "$log" || fail "the two tests did not run"
say "all that was answered has survived"
