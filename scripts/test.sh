#!/usr/bin/env bash
# Everything that must hold before a change is kept: format, floors, links, scripts, both builds, all tests, and a
# whole gateway by run.sh.
# Usage: scripts/test.sh [--no-install] [FILTER]
#   --no-install  says what is missing and stops, even for root
#   FILTER        runs only the tests that match it, as `swift test --filter` does; no release build then
# Continuous integration runs this by .ci/run, which also names the test vectors in PARLEY_VECTORS.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. scripts/lib/say.sh
. scripts/lib/packages.sh
. scripts/lib/toolchain.sh

install=yes filter=
for argument; do
    case $argument in
    --no-install) install=no ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    -*) fail "there is no option $argument; see scripts/test.sh --help" ;;
    *) filter=$argument ;;
    esac
done

build_flags=(--explicit-target-dependency-import-check error)
scratch=$(mktemp -d)
current_gate=
timings=()

finish() {
    local status=$?
    ((status == 0)) || say "FAILED${current_gate:+ at: $current_gate}"
    rm -rf "$scratch"
}
trap finish EXIT

# gate NAME COMMAND…: runs the command, which fails the whole script if it fails, and notes how long it took.
gate() {
    local started=$EPOCHREALTIME
    current_gate=$1
    say "$1"
    shift
    "$@"
    timings+=("$(printf '%7.1f s  %s' "$(seconds_since "$started")" "$current_gate")")
    current_gate=
}

# Seconds since a value of EPOCHREALTIME, in tenths.
seconds_since() {
    local tenths=$(((${EPOCHREALTIME//[!0-9]/} - ${1//[!0-9]/}) / 100000))
    echo "$((tenths / 10)).$((tenths % 10))"
}

check_format() { swift format lint --strict --parallel --recursive Sources Tests Package.swift; }

check_floors() {
    scripts/check-floors.sh
    scripts/check-floors.sh --self-test
}

check_links() {
    scripts/check-links.sh
    scripts/check-links.sh --self-test
}

check_scripts() {
    local script
    for script in scripts/* scripts/lib/* .ci/run; do
        [[ ! -f $script ]] || bash -n "$script"
    done
    # Parley does not need shellcheck to be installed; where it is, its advice counts. SC2015: «a && b || fail» is meant
    # as it reads, everywhere here. SC2016: a backtick in quotes is markdown.
    if command -v shellcheck >/dev/null; then
        shellcheck -x -P . -e SC2015,SC2016 scripts/*.sh scripts/parley .ci/run
    fi
}

# build ARGUMENT…: a build that prints a warning, which only the linker and the package manager still can, fails.
build() {
    swift build "${build_flags[@]}" "$@" 2>&1 | tee "$scratch/build.log"
    # What SwiftPM says of the files of a package that we depend on is not about us.
    ! grep -F 'warning:' "$scratch/build.log" | grep -vE "^warning: '[a-z0-9-]+': found [0-9]+ file\(s\)" >&2
}

# The closing line of `swift test` carries the count; the script repeats it as its own last line.
run_tests() {
    local selection=()
    [[ -z $filter ]] || selection=(--filter "$filter")
    swift test --skip-build --disable-xctest "${selection[@]}" | tee "$scratch/tests.log"
    closing=$(grep 'Test run with [0-9]* tests.* passed' "$scratch/tests.log" | tail -n 1)
    [[ $closing != *' 0 tests'* ]] || fail "no test was run"
}

# A browser, which is a large package, is installed where packages may be; elsewhere that part is skipped.
test_pushes() {
    local flags=(--no-install)
    [[ $install == no ]] || flags=()
    scripts/test-push.sh "${flags[@]}"
}

need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}" \
    "${door_packages[@]}" "${python_packages[@]}" "${sql_packages[@]}" "${push_packages[@]}"
# Its absence is a failure from here on, and not a test that is skipped.
export PARLEY_POSTGRESQL=required

gate "format" check_format
gate "floors" check_floors
gate "links" check_links
gate "scripts" check_scripts
gate "debug build" build --build-tests
gate "debug build of the plugin" build --product ParleyBrokerPlugin
gate "tests" run_tests
if [[ -z $filter ]]; then
    gate "release build" build -c release
    gate "model" scripts/model.sh --no-install
    gate "broker-config" scripts/test-broker-config.sh --no-install
    gate "run.sh" scripts/test-run.sh
    gate "README.md" scripts/test-readme.sh
    gate "interop" scripts/test-interop.sh --no-install
    gate "pushes" test_pushes
    gate "secrecy" scripts/test-secrecy.sh --no-install
    gate "distinguisher" scripts/distinguish.sh --no-install --histories 40 --plants --ignore-time
    gate "siege" scripts/siege.sh --no-install --short
    gate "fuzz" scripts/fuzz.sh 1
fi

printf '%s\n' "${timings[@]}" >&2
printf '%s\n' "$closing"
