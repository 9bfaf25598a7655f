#!/usr/bin/env bash
# Tests push notifications of a gateway of its own, which it builds for release, against services of its own
# (Tests/Interop/PushDoubles): Apple's, Google's, Web Push and webhooks, and Web Push to a real Firefox.
# Usage: scripts/test-push.sh [--no-install] [--only SUITE]... [--kills N [--seed S]] [--seconds N]
#   --no-install  says which packages are missing and stops, even for root; without firefox-esr that part is skipped
#   --only SUITE  one of: doubles (the services alone, with clients that share no code with them: nothing of Swift is
#                 built), whom, what, answers, tool, quiet, firefox, kills; or load, which is measured only if it is asked
#                 for: how many notifications a second, and how fast messages are beside a push service that fails
#   --kills N     kill -9 of parleyd at N random moments while notifications flow, 30 by default
#   --seed S      decides the moments; another one each time by default
#   --seconds N   how long messages are measured beside each way in which a push service fails, 10 by default
# The status is 1 if anything does not hold.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"
. "$root/scripts/lib/python.sh"

install=yes kills=30 seed='' seconds=10 only=()
while (($#)); do
    case $1 in
    --no-install) install=no && shift && continue ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    --only) [[ ${2-} =~ ^(doubles|whom|what|answers|tool|quiet|firefox|kills|load)$ ]] || fail "--only needs a suite; see --help" ;;
    --kills | --seed | --seconds) [[ ${2-} =~ ^[0-9]{1,6}$ ]] || fail "$1 needs a number" ;;
    *) fail "there is no option $1; see scripts/test-push.sh --help" ;;
    esac
    case $1 in
    --only) only+=("$2") ;;
    --kills) kills=$2 ;;
    --seed) seed=$2 ;;
    --seconds) seconds=$2 ;;
    esac
    shift 2
done

# wanted SUITE: whether it is to run.
wanted() { ((${#only[@]} == 0)) || [[ " ${only[*]} " == *" $1 "* ]]; }

need_packages "$install" "${push_packages[@]}"
need_python "$install" "$root" PushDoubles
if [[ ${only[*]} != doubles ]]; then
    need_swift
    need_packages "$install" "${build_packages[@]}" "${run_packages[@]}"
    [[ " ${only[*]} " != *" load "* ]] || need_packages "$install" haproxy
fi
if wanted firefox && [[ -n $(missing_packages firefox-esr) && $install == yes && $EUID == 0 ]]; then
    say "installing firefox-esr"
    install_packages firefox-esr || say "firefox-esr could not be installed"
fi
[[ ${only[*]} == doubles ]] || build_release "$root" parleyd parley ParleyBrokerPlugin

cd "$root/Tests/Interop/PushDoubles"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/Tests/Interop/PythonDevice:$root/Tests/Adversaries/Siege
scratch=$(mktemp -d)
export TMPDIR=$scratch
declare -A running=()
finish() {
    local name
    for name in "${!running[@]}"; do kill -TERM "${running[$name]}" 2>/dev/null || true; done
    wait
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

failed=() skipped=()
# start NAME COMMAND…: runs it beside others.
start() {
    local name=$1
    shift
    "$@" >"$scratch/$name.log" 2>&1 &
    running[$name]=$!
}
# finished NAME: waits for it, and says what it has printed for people, or all of it where it failed.
finished() {
    local name=$1 log=$scratch/$1.log
    if ! wait "${running[$name]}"; then
        failed+=("$name")
        cat "$log" >&2
    elif grep -q 'skipped=' "$log"; then
        skipped+=("$name")
        say "SKIPPED: $name: there is no firefox-esr"
    fi
    unset "running[$name]"
    sed -nE "s/^(\||kills:|close to|median of|Ran |FAULT|planted)/$name: &/p" "$log"
}

# Services that took everything would find nothing.
if wanted doubles; then
    start doubles "$python" -m unittest discover --pattern "test_doubles_*.py"
    finished doubles
fi
# Each has a gateway and services of its own, and waits more than it works.
for name in quiet answers what whom; do ! wanted "$name" || start "$name" "$python" -m unittest "test_$name"; done
for name in whom what; do ! wanted "$name" || finished "$name"; done
for name in tool firefox; do ! wanted "$name" || { start "$name" "$python" -m unittest "test_$name" && finished "$name"; }; done
for name in answers quiet; do ! wanted "$name" || finished "$name"; done
if wanted kills; then
    # A count that missed what is planted would miss what is lost.
    start plants "$python" kills.py --plant 2 ${seed:+"$seed"}
    finished plants
    start kills "$python" kills.py "$kills" ${seed:+"$seed"}
    finished kills
fi
if [[ " ${only[*]} " == *" load "* ]]; then
    start load "$python" load.py --seconds "$seconds"
    finished load
fi
((${#failed[@]} == 0)) || fail "FAILED: ${failed[*]}"
say "all holds${skipped:+, but for what was skipped: ${skipped[*]}}"
