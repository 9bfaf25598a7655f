#!/usr/bin/env bash
# What must hold before a change is kept. Without an option the short form: format, floors, links, scripts, one build, for
# debugging, the client's reference, all tests of Swift, and with the programs of that build a whole gateway by run.sh, the
# transcripts of README.md, docs/push.md and docs/web.md, and a message by the page in Chromium.
# Usage: scripts/test.sh [--everything] [--no-install] [FILTER]
#        scripts/test.sh --self-test
#   --everything  also builds for release and runs all that has no place in the short form: models, the production
#                 configuration behind its door, what is monitored, cells, clients in Python, an app that links the
#                 client, the packages, push services, the web door by its document, files in S3, the page in two browsers,
#                 secrecy, sieges, churn, fuzzing
#   --no-install  says what is missing and stops, even for root
#   FILTER        runs only the tests of Swift that match it, as `swift test --filter` does, and no gateway
#   --self-test   plants gates that fail and hang, and sees that they are found
# A gate that fails does not keep those behind it from running, and one that hangs is ended. Gates that wait more than they
# work run beside each other. Logs stay in .build/logs; the last line of standard output says what passed and how long it
# took. Continuous integration runs this by .ci/run, with --everything and with the test vectors, which PARLEY_VECTORS names.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. scripts/lib/say.sh
. scripts/lib/packages.sh
. scripts/lib/toolchain.sh
. scripts/lib/gates.sh
. scripts/lib/watching.sh

install=yes filter='' everything=no
for argument; do
    case $argument in
    --everything) everything=yes ;;
    --no-install) install=no ;;
    --self-test) . scripts/lib/gates-self-test.sh && gates_self_test && exit ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    -*) fail "there is no option $argument; see scripts/test.sh --help" ;;
    *) filter=$argument ;;
    esac
done
[[ $everything == no || -z $filter ]] || fail "--everything runs all tests, and takes no filter"

# How many tests run at once. Tests share as many threads as there are processors: of thousands that begin together, one that
# awaits something goes on only behind all others.
test_width=8
import_check=(--explicit-target-dependency-import-check error)
logs=$PWD/.build/logs

finish() {
    local status=$?
    stop_gates
    ((status == 0)) || say FAILED
}
trap finish EXIT

check_format() { swift format lint --strict --parallel --recursive Sources Tests docs/example Package.swift; }
check_floors() { scripts/check-floors.sh; }
check_links() { scripts/check-links.sh; }
# That both find what is planted.
check_planted() { scripts/check-floors.sh --self-test && scripts/check-links.sh --self-test; }

check_scripts() {
    local script
    for script in scripts/*.sh scripts/parley scripts/lib/*.sh .ci/run; do
        bash -n "$script" || return 1
    done
    # Parley does not need shellcheck to be installed; where it is, its advice counts. SC2015: «a && b || fail» is meant
    # as it reads, everywhere here. SC2016: a backtick in quotes is markdown.
    if command -v shellcheck >/dev/null; then
        shellcheck -x -P . -e SC2015,SC2016 scripts/*.sh scripts/parley .ci/run || return 1
    fi
    scripts/test.sh --self-test
}

# build ARGUMENT…: a build that prints a warning, which only the linker and the package manager still can, fails.
build() {
    if ! swift build "$@" "${import_check[@]}" >>"$gate_log" 2>&1; then
        grep -vE '^\[[0-9]+/[0-9]+\]' "$gate_log" >&2
        return 1
    fi
    # What SwiftPM says of the files of a package that we depend on is not about us, and neither is what the linker says
    # of Foundation.
    ! grep -F 'warning:' "$gate_log" |
        grep -vE "^warning: '[a-z0-9-]+': found [0-9]+ file\(s\)|libFoundation.*the use of .mktemp. is dangerous" >&2
}

# The gateway as it is by default comes first: it needs nothing of PostgreSQL. The broker's plugin is no part of what is
# built for tests.
build_debug() {
    (unset PARLEY_POSTGRESQL_STORE && build "${swift_flags[@]}" --product parleyd) || return 1
    if ldd .build/debug/parleyd | grep -F libpq; then
        say "parleyd needs libpq, though it was built without PostgreSQL" && return 1
    fi
    build "${swift_flags[@]}" --build-tests && build "${swift_flags[@]}" --product ParleyBrokerPlugin
}

# What gates run: benchmarks and trials are built by the scripts that run them.
build_release() {
    build "${release_flags[@]}" --target TestedPrograms && build "${release_flags[@]}" --product ParleyBrokerPlugin &&
        build "${release_flags[@]}" --product parley-web
}

# What is found stands in the log; on the terminal stand the seed and what fails, and of some tests chosen all of it.
run_tests() {
    local closing selection=() shown='PARLEY_SEED=|^✘|recorded an issue|^↳' status=0
    [[ -z $filter ]] || selection=(--filter "$filter") shown=''
    [[ $everything == no ]] || export PARLEY_TESTS=everything
    watched "$gate_log" "$shown" swift test --skip-build --disable-xctest \
        --experimental-maximum-parallelization-width "$test_width" "${selection[@]}" || status=1
    closing=$(closing_line) || true
    if ((status != 0)) || [[ -z $closing ]]; then
        tail -n 5 "$gate_log" >&2
        say "the whole log is $gate_log"
        return 1
    fi
    [[ $closing != *' 0 tests'* ]] || { say "no test was run" && return 1; }
}

closing_line() { grep 'Test run with [0-9]* tests.* passed' "$(log_of tests)" | tail -n 1; }

# with PROGRAMS COMMAND…: the command, with programs that have been built.
with() { PARLEY_PRODUCTS=$1 "${@:2}"; }

# A browser, which is a large package, is installed where packages may be; elsewhere that part is skipped.
test_pushes() {
    local flags=(--no-install)
    [[ $install == no ]] || flags=()
    scripts/test-push.sh "${flags[@]}"
}

# In the short form somebody signs in and writes, in one browser.
test_page() {
    local flags=()
    [[ $install == yes ]] || flags+=(--no-install)
    [[ $everything == yes ]] || flags+=(--short)
    scripts/test-page.sh "${flags[@]}"
}

# They are installed in a Debian of their own, for which one is root.
test_packages() {
    ((EUID == 0)) || { say "skipped: it needs root" && return; }
    scripts/test-package.sh --no-install
}

need_swift
need_packages "$install" "${build_packages[@]}" "${postgresql_build_packages[@]}" "${run_packages[@]}" \
    "${test_packages[@]}" "${sql_packages[@]}"
[[ $everything == no ]] ||
    need_packages "$install" "${door_packages[@]}" "${cells_packages[@]}" "${trial_packages[@]}" "${python_packages[@]}" "${push_packages[@]}" \
        "${monitoring_packages[@]}"
[[ $everything == no || $EUID != 0 ]] || need_packages "$install" "${package_packages[@]}" "${package_test_packages[@]}"
# Its absence is a failure from here on, and not a test that is skipped.
export PARLEY_POSTGRESQL=required
# All builds are with what only larger sites need.
export PARLEY_POSTGRESQL_STORE=yes

gates=(format floors links scripts "debug build" docc tests)
[[ -n $filter ]] || gates+=(run.sh README.md page)
[[ $everything == no ]] ||
    gates+=("tests with cells" blobs "client package" "release build" "run.sh builds" siege pushes web "web door killed" packages "walk build" fuzz "floors and links, planted" model broker-config monitoring cells interop churn secrecy distinguisher walk)
# Tests are functions marked so. It is only to say how far they are.
expected_tests=$(grep -rhE '^\s*@Test\b' Tests --include='*.swift' | wc -l)

# must_pass GATE: without a build there is nothing to test.
must_pass() { has_passed "$1" || { end_gates || true && fail "there is nothing to test without the $1"; }; }

begin_gates
gate_beside format check_format
gate_beside floors check_floors
gate_beside links check_links
gate_beside scripts check_scripts
gate "debug build" build_debug
must_pass "debug build"
debug_binaries=$(realpath .build/debug)
binaries=$debug_binaries
gate docc scripts/test-docc.sh
gate tests run_tests
if [[ $everything == yes ]]; then
    gate "tests with cells" scripts/test-site.sh --no-install --no-build --short cells
    gate blobs scripts/test-blobs.sh --no-install --no-build
    # It compiles the client, as an app does.
    gate "client package" scripts/test-client-package.sh --build
    gate "release build" build_release
    must_pass "release build"
    binaries=$(realpath .build/release)
    # Everywhere else programs are lent that have been built.
    gate "run.sh builds" scripts/test-run.sh stays_quiet_but_for_two_lines builds_the_tool_when_ready builds_what_has_changed
    # Attacks are judged by what honest users notice, so that nothing else runs beside them.
    gate siege with "$binaries" scripts/siege.sh --no-install --short
    # What takes longest comes first. What only computes gives way: pushes have their times.
    gate_beside page with "$binaries" test_page
    gate_beside pushes with "$binaries" test_pushes
    gate_beside web with "$binaries" scripts/test-web.sh --no-install
    # The measurements' program, which kills it, is built for debugging alone.
    gate_beside "web door killed" with "$debug_binaries" scripts/kill-test.sh --no-install --web 10
    gate_beside packages with "$binaries" test_packages
    gate_beside "walk build" nice -n 19 scripts/walk.sh --no-install --build
    gate_beside fuzz nice -n 19 scripts/fuzz.sh 1
    gate_beside "floors and links, planted" check_planted
    gate_beside model with "$binaries" nice -n 19 scripts/model.sh --no-install --short
    gate_beside broker-config with "$binaries" scripts/test-broker-config.sh --no-install
    gate_beside monitoring with "$binaries" scripts/test-monitoring.sh --no-install
    gate_beside cells with "$binaries" scripts/test-cells.sh --no-install
    gate_beside interop with "$binaries" scripts/test-interop.sh --no-install
    gate_beside churn with "$binaries" scripts/churn.sh --no-install --short
    gate_beside secrecy with "$binaries" scripts/test-secrecy.sh --no-install
    gate_beside distinguisher with "$binaries" scripts/distinguish.sh --no-install --histories 40 --plants --ignore-time
fi
if [[ -z $filter ]]; then
    gate_beside run.sh with "$binaries" scripts/test-run.sh
    gate_beside README.md with "$binaries" scripts/test-readme.sh
    [[ $everything == yes ]] || gate_beside page with "$binaries" test_page
fi
[[ $everything == no ]] || gate walk scripts/walk.sh --no-install

end_gates || fail "of ${#gates[@]} gates these failed, in $(minutes $((SECONDS - gates_began))): ${!failed[*]}"
closing_line
printf 'all %d gates passed in %s\n' "${#gates[@]}" "$(minutes $((SECONDS - gates_began)))"
