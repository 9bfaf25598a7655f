#!/usr/bin/env bash
# Runs the transcript of README.md against a gateway of its own, and compares what each command prints.
# Usage: scripts/test-readme.sh
set -euo pipefail
(($# == 0)) || { sed -n '2,3s/^# //p' "$0" && exit; }
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
. "$root/scripts/lib/gateway.sh"

scratch=$(mktemp -d)
current=README.md
gateway=
finish() {
    stop_gateway
    rm -rf "$scratch"
}
trap finish EXIT

# A reader of the page stands in a clone; here the clone's scripts stand in an empty directory.
ln -s "$root/scripts" "$scratch/scripts"
cd "$scratch"
start_gateway "$scratch/gateway.log" --mqtt-port "$(free_port)" --ws-port "$(free_port)"

# What a command printed must be what the page shows, where … stands for anything.
compare() {
    local expected actual pattern
    expected=$(printf '%s' "$2") actual=$(sed '/^$/d' "$3")
    pattern=$(printf '%s' "$expected" | sed -e 's/[][\*?]/\\&/g' -e 's/…/*/g')
    # shellcheck disable=SC2053 # The right side is a pattern.
    [[ $actual == $pattern ]] || fail "README.md: $1
expected: $expected
printed:  $actual"
}

commands=0 background=
run() {
    [[ -n $1 ]] || return 0
    if [[ $1 == *'&' ]]; then
        # As a reader would, go on when the command in the background has something to show.
        eval "$1"
        background=$!
        until_true 60 test -s "$(sed -E 's/.*> ([^ ]+) &$/\1/' <<<"$1")"
    else
        # What the page calls `$!` is that command; waiting for it has started others. The gateway is a child too: `wait`
        # means the command in the background only.
        command_line=${1//'$!'/$background}
        [[ ${1%% *} != wait ]] || command_line="wait $background ${1#wait}"
        eval "$command_line" >printed 2>errors || fail "README.md: $1 ended with status $?: $(cat errors)"
        compare "$1" "$2" printed
    fi
    commands=$((commands + 1))
}

command='' output='' inside=no
while IFS= read -r line; do
    case $inside:$line in
    no:'<!-- transcript -->') inside=next ;;
    next:'```console') inside=yes ;;
    yes:'```')
        run "$command" "$output"
        command='' output='' inside=no
        ;;
    yes:'$ '*)
        run "$command" "$output"
        command=${line#'$ '} output=
        ;;
    yes:*) output+=${output:+$'\n'}$line ;;
    esac
done <"$root/README.md"
((commands > 0)) || fail "README.md has no transcript"
say "README.md: $commands commands print what the page shows"
