#!/usr/bin/env bash
# Tests that doors keep files in an S3-compatible service: the store's tests, and a gateway with two doors that share a
# bucket, over moto, a service from the Python package index, which it starts on a free port and ends.
# Usage: scripts/test-blobs.sh [--no-install] [--no-build]
#   --no-install  says which packages are missing and stops, even for root
#   --no-build    for whoever has just built the tests and the broker's plugin for debugging
# The tests are those of Swift that PARLEY_S3 lets have a service: Tests/Unit/ParleyWebTests/Blobs, Tests/Integration/Blobs.
# Standard output gets how many ran. The log is .build/logs/blobs-tests.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root"
. scripts/lib/say.sh
. scripts/lib/packages.sh
. scripts/lib/toolchain.sh
. scripts/lib/python.sh
. scripts/lib/ports.sh
. scripts/lib/waiting.sh

install=yes build=yes
while (($#)); do
    case $1 in
    --no-install) install=no ;;
    --no-build) build=no ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    *) fail "there is no option $1; see scripts/test-blobs.sh --help" ;;
    esac
    shift
done

need_packages "$install" "${python_packages[@]}"
need_python "$install" "$root" ObjectStorage
need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}"
mkdir -p .build/logs
log=.build/logs/blobs-tests
if [[ $build == yes ]]; then
    say "building the tests"
    swift build "${swift_flags[@]}" --build-tests >"$log" 2>&1 &&
        swift build "${swift_flags[@]}" --product ParleyBrokerPlugin >>"$log" 2>&1 || {
        cat "$log" >&2
        fail "the tests do not build"
    }
fi

current='files in S3'
scratch=$(mktemp -d)
service=
finish() {
    [[ -z $service ]] || { kill "$service" && wait "$service"; } 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

port=$(free_port)
# Objects above a size are files: below a folder of ours.
TMPDIR=$scratch "${python%/*}/moto_server" -H 127.0.0.1 -p "$port" >"$scratch/service" 2>&1 &
service=$!
export PARLEY_S3=http://127.0.0.1:$port
is_there() {
    kill -0 "$service" 2>/dev/null || { cat "$scratch/service" >&2 && fail "moto has ended"; }
    curl -sf -o /dev/null -X PUT "$PARLEY_S3/blobs"
}
until_true 60 is_there

# The whole suites: what is not about a service takes little.
suites='^(ParleyWebTests\.(BlobStoreTests|S3FaultTests|S3SignatureTests)|IntegrationTests\.SharedBlobTests)/'
status=0
swift test --skip-build --disable-xctest --experimental-maximum-parallelization-width 4 --filter "$suites" \
    >"$log" 2>&1 || status=1
closing=$(grep 'Test run with [0-9]* tests' "$log" | tail -n 1) || true
if ((status != 0)) || [[ -z $closing ]]; then
    grep -E '^✘|recorded an issue|^↳' "$log" >&2 || tail -n 5 "$log" >&2
    fail "files do not come through S3 as they must; the whole log is $root/$log"
fi
! grep '^➜.*skipped' "$log" >&2 || fail "a test was skipped"
# Whoever asks nothing finds nothing.
requests=$(grep -c '"PUT /blobs/.* 200' "$scratch/service") || true
((requests >= 50)) || fail "moto has taken only $requests objects"
printf '%s\n' "$closing"
say "over $requests objects of moto: all holds"
