#!/usr/bin/env bash
# Runs cells of an earlier version and of this one over one database, under load, as while machines are upgraded one after
# the other: both of the earlier version, the second of this one, back again, the first of this one, and then both. What was
# answered must be in history once, in order, and have reached everybody.
# Usage: scripts/test-upgrade.sh [--no-install] [--against REV] [--minutes N]
#   --against REV  the earlier version, anything that git knows (default: HEAD, for changes that are not committed yet); it
#                  is checked out and built in .build/earlier
#   --minutes N    how long both versions run side by side (default: 10)
#   --no-install   says which packages are missing and stops, even for root
# PARLEY_EARLIER_PRODUCTS names a folder with parleyd and libParleyBrokerPlugin.so of the earlier version, if they have been
# built. The short form, with a step of the schema in place of another version's program, is among the tests of Swift
# (Tests/Integration/Cells/UpgradeTests.swift). Standard output gets a table.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root"
. scripts/lib/say.sh
. scripts/lib/packages.sh
. scripts/lib/toolchain.sh

install=yes revision=HEAD minutes=10
while (($#)); do
    case $1 in
    --no-install) install=no && shift && continue ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    --against | --minutes) [[ -n ${2-} ]] || fail "$1 needs a value" ;;
    *) fail "there is no option $1; see scripts/test-upgrade.sh --help" ;;
    esac
    case $1 in
    --against) revision=$2 ;;
    --minutes) minutes=$2 ;;
    esac
    shift 2
done
[[ $minutes =~ ^[1-9][0-9]{0,2}$ ]] || fail "--minutes takes a number from 1 to 999, not «$minutes»"

need_swift
need_packages "$install" "${build_packages[@]}" "${postgresql_build_packages[@]}" "${run_packages[@]}" \
    "${test_packages[@]}" postgresql
export PARLEY_POSTGRESQL_STORE=yes PARLEY_POSTGRESQL=required
mkdir -p .build/logs
log=.build/logs/upgrade

# build FOLDER WHAT ARGUMENT…
build() {
    say "building $2"
    swift build --package-path "$1" "${swift_flags[@]}" "${@:3}" >"$log" 2>&1 || { cat "$log" >&2 && fail "$2 does not build"; }
}

if [[ -z ${PARLEY_EARLIER_PRODUCTS-} ]]; then
    commit=$(git rev-parse --verify --quiet --end-of-options "$revision^{commit}") || fail "git knows no commit $revision"
    earlier=$root/.build/earlier
    if [[ -e $earlier/.git ]]; then
        git -C "$earlier" checkout --quiet --detach "$commit"
    else
        git worktree prune
        git worktree add --quiet --detach "$earlier" "$commit"
    fi
    build "$earlier" "the version of $(git log -1 --format='%h (%ad)' --date=short "$commit")" -c release --product parleyd
    build "$earlier" "its plugin" -c release --product ParleyBrokerPlugin
    PARLEY_EARLIER_PRODUCTS=$(realpath "$earlier/.build/release")
fi
for product in parleyd libParleyBrokerPlugin.so; do
    [[ -f $PARLEY_EARLIER_PRODUCTS/$product ]] ||
        fail "there is no $product in $PARLEY_EARLIER_PRODUCTS, which PARLEY_EARLIER_PRODUCTS names"
done
build "$root" "this version and its tests" --build-tests
build "$root" "its plugin" --product ParleyBrokerPlugin

export PARLEY_EARLIER_PRODUCTS PARLEY_UPGRADE_SECONDS=$((60 * minutes))
say "running both versions for $minutes minutes"
status=0
swift test --skip-build --disable-xctest --filter '[.]EarlierVersionTests/' >"$log" 2>&1 || status=1
grep '^|' "$log" || true
((status == 0)) || { grep '✘' "$log" >&2 && fail "they do not go together; the whole log is $root/$log"; }
grep -q 'Test run with 1 test.* passed' "$log" || fail "the test did not run"
say "all that was answered is there, once and in order"
