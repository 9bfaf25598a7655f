#!/usr/bin/env bash
# Runs the tests of a whole gateway against two cells over one PostgreSQL in its place, which by their tests is the same to
# devices. Every test that starts a gateway gets a database and two cells of its own.
# Usage: scripts/test-site.sh [--no-install] [--no-build] [--short] cells|haproxy [FILTER]
#   cells         without HAProxy: each connection goes to the other cell than that before it
#   haproxy       by HAProxy, which sends a user to one cell by the name
#   FILTER        runs only the tests that match it, as `swift test --filter` does
#   --short       a few suites, in less than a minute; they are a gate of scripts/test.sh --everything
#   --no-build    for whoever has just built the tests and the broker's plugin for debugging
#   --no-install  says which packages are missing and stops, even for root
# Tests that are about one machine are skipped; why stands in Tests/Integration/Support/SiteForm.swift. Standard output gets
# the tests that were skipped, and how many ran. The log is .build/logs/site-FORM.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root"
. scripts/lib/say.sh
. scripts/lib/packages.sh
. scripts/lib/toolchain.sh

install=yes build=yes form='' filter=''
# Whatever starts a gateway. The others are about cells themselves, or about a broker without a gateway.
all='^IntegrationTests\.'
others='^IntegrationTests\.(Cell|Stopped|Upgrade|Earlier|ChildProcess|Plugin|AccessWalk|Trial)'
# Messages, who hears them, tokens, and an app's client that loses its gateway.
short='^IntegrationTests\.(GatewayTests/(SendTests|MembershipTests|TrainingGroupTests|DeviceTests|BlockFlowTests)|OutageTests)/'
while (($#)); do
    case $1 in
    --no-install) install=no ;;
    --no-build) build=no ;;
    --short) filter=$short ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    -*) fail "there is no option $1; see scripts/test-site.sh --help" ;;
    cells | haproxy) if [[ -z $form ]]; then form=$1; else filter=$1; fi ;;
    *) [[ -n $form && -z $filter ]] || fail "«$1» is no form of a site; see scripts/test-site.sh --help" && filter=$1 ;;
    esac
    shift
done
[[ -n $form ]] || fail "which form, cells or haproxy? See scripts/test-site.sh --help"

need_swift
need_packages "$install" "${build_packages[@]}" "${postgresql_build_packages[@]}" "${run_packages[@]}" \
    "${test_packages[@]}" "${cells_packages[@]}"
export PARLEY_POSTGRESQL_STORE=yes PARLEY_POSTGRESQL=required PARLEY_TEST_SITE=$form
mkdir -p .build/logs
log=.build/logs/site-$form
if [[ $build == yes ]]; then
    say "building the tests"
    swift build "${swift_flags[@]}" --build-tests >"$log" 2>&1 &&
        swift build "${swift_flags[@]}" --product ParleyBrokerPlugin >>"$log" 2>&1 || {
        cat "$log" >&2
        fail "the tests do not build"
    }
fi

# Twice as many programs run as for one machine, and a cell that gets no time for three seconds shuts its devices out: so
# not as many tests at once.
status=0
swift test --skip-build --disable-xctest --experimental-maximum-parallelization-width 4 \
    --filter "${filter:-$all}" --skip "$others" >"$log" 2>&1 || status=1
grep -E '^➜' "$log" || true
closing=$(grep 'Test run with [0-9]* tests' "$log" | tail -n 1) || true
if ((status != 0)) || [[ -z $closing ]]; then
    grep -E '^✘|recorded an issue|^↳' "$log" >&2 || tail -n 5 "$log" >&2
    fail "something is not as on one machine; the whole log is $root/$log"
fi
[[ $closing != *' 0 tests'* ]] || fail "no test was run"
printf '%s\n' "$closing"
