#!/usr/bin/env bash
# Tests scripts/run-cells.sh from outside: two cells from nothing, two users who are at home in different ones and chat, a
# cell that is killed, one that is drained, PostgreSQL killed, Ctrl-C, and a second start with one cell. Then it runs the
# transcript of docs/scaling.md, and in small what scripts/trial-cells.sh tries.
# Usage: scripts/test-cells.sh [--no-install]
#   --no-install  says which packages are missing and stops, even for root
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"

install=yes
case ${1-} in
"") ;;
--no-install) install=no ;;
-h | --help) sed -n '2,/^set /{/^# /s/^# //p}' "$0" && exit ;;
*) fail "there is no option $1; see scripts/test-cells.sh --help" ;;
esac
need_packages "$install" "${build_packages[@]}" "${postgresql_build_packages[@]}" "${run_packages[@]}" \
    "${cells_packages[@]}" "${trial_packages[@]}" jq
need_swift
export PARLEY_POSTGRESQL_STORE=yes
build_release "$root" parleyd ParleyBrokerPlugin parley
export PARLEY_PRODUCTS=$binaries

scratch=$(mktemp -d)
# A space, because there are such directories.
data="$scratch/two cells"
run='' children=() trials=()
trap finish EXIT

finish() {
    local status=$? child
    for child in "${children[@]}" "${trials[@]}"; do kill "$child" 2>/dev/null || true; done
    [[ -z $run ]] || kill -TERM "$run" 2>/dev/null || true
    wait 2>/dev/null || true
    ((status == 0)) || tail -n 40 "$scratch/errors" >&2
    rm -rf "$scratch"
    exit "$status"
}

# start N: starts so many cells, and leaves the process in `run`.
start() {
    : >"$scratch/output" && : >"$scratch/errors"
    setsid "$root/scripts/run-cells.sh" "$1" --no-install --data "$data" --port "$port" \
        >"$scratch/output" 2>"$scratch/errors" &
    run=$!
    until_true 120 ready_or_gone
    ready || fail "$current: run-cells.sh ended before it was ready"
}

ready() { grep -qx "parley-cells: ready, devices at 127.0.0.1:$port, data of [12] cells in $data/cell-N" "$scratch/output"; }
gone() { ! kill -0 "$run" 2>/dev/null; }
ready_or_gone() { ready || gone; }
said() { grep -qF -- "$1" "$scratch/errors"; }
parley() { "$binaries/parley" --data "$data/cell-1" "$@"; }
has_lines() { [[ $(wc -l <"$1") -ge $2 ]]; }
hears() { grep -qF -- "$2" "$1"; }

# program PATTERN: the process of a program of these cells, by its command line.
program() { pgrep -f -- "$1.*$data" | head -n 1; }
nothing_runs() { ! pgrep -f -- "$data" | grep -qvx -e "$$" -e "$BASHPID"; }

# haproxy COMMAND: an answer of HAProxy's.
haproxy() {
    perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new($ARGV[0]) or die; print $s "$ARGV[1]\n"; print while <$s>' \
        "$data/haproxy.sock" "$1"
}
# How many connections a cell has got from HAProxy so far.
connections() { haproxy 'show stat' | awk -F, -v cell="cell-$1" '$1 == "broker" && $2 == cell { print $8 }'; }
is_up() { [[ $(haproxy 'show stat' | awk -F, -v cell="cell-$1" '$1 == "broker" && $2 == cell { print $18 }') == UP ]]; }

# as UID PROGRAM ARGUMENT…: Mosquitto's, with the files that `device add` leaves.
as() { env XDG_CONFIG_HOME="$data/cell-1/devices/$1/phone" "${@:2}"; }
answers() {
    as "$1" mosquitto_rr -W 1 -t "parley/v1/up/$1/phone/profile/get" -e "parley/v1/down/$1/phone/first" -m '{}' \
        "${@:2}" 2>/dev/null | grep -qF "\"user_id\":\"$1\""
}

# find_home UID: leaves the number of the cell in `home` that HAProxy sends the user to, each time.
find_home() {
    local before
    before=$(connections 1)
    for _ in 1 2 3 4; do answers "$1" || fail "$current: $1 is not served"; done
    case $(($(connections 1) - before)) in
    4) home=1 ;;
    0) home=2 ;;
    *) fail "$current: $1 is not at home in one cell" ;;
    esac
}

# refused TEXT ARGUMENT…: with these arguments run-cells.sh ends with status 1, says TEXT and prints nothing.
refused() {
    local text=$1 status=0
    shift
    "$root/scripts/run-cells.sh" "$@" >"$scratch/refused" 2>"$scratch/errors" </dev/null || status=$?
    [[ $status == 1 ]] || fail "$current: status $status, not 1, for: $*"
    said "$text" || fail "$current: expected «$text», got «$(cat "$scratch/errors")»"
    [[ ! -s $scratch/refused ]] || fail "$current: standard output should be empty"
}

refuses_what_it_cannot_use() {
    local count
    for count in 0 17 two 1.5; do refused 'how many cells?' "$count" --data "$data"; done
    refused 'how many cells?' --data "$data"
    refused 'one number of cells' 2 3
    refused 'no option --allow-root' 2 --allow-root
    refused 'needs a value' 2 --port
    refused 'takes a port' 2 --data "$data" --port 65536
    refused 'only root may listen' 2 --data "$data" --port 22
    refused 'leaves no room' 2 --data "$data" --port 65535
    mkdir "$scratch/full" && : >"$scratch/full/something"
    refused 'has something else in it' 2 --data "$scratch/full"
    [[ ! -e $data/cell-1 ]] || fail "$current: a cell was made"
    "$root/scripts/run-cells.sh" --help | grep -q '^Usage: scripts/run-cells.sh N' || fail "$current: no help"
}

starts_two_cells_from_nothing() {
    local began=$SECONDS name
    start 2
    say "$current: ready after $((SECONDS - began)) s"
    [[ $(wc -l <"$scratch/output") == 1 ]] || fail "$current: standard output: $(cat "$scratch/output")"
    cmp -s "$data/cell-1/keys/signing.key" "$data/cell-2/keys/signing.key" || fail "$current: the cells have other keys"
    [[ $(stat -c %a "$data" "$data/postgresql/run" "$data/cell-2" | sort -u) == 700 ]] || fail "$current: others can read"
    if ((EUID == 0)); then
        for name in postgres mosquitto parleyd haproxy; do
            [[ $(stat -c %U "/proc/$(program "$name")") != root ]] || fail "$current: $name runs as root"
        done
    fi
    refused 'in use' 2 --data "$data" --port "$(free_port)"
    ! "$binaries/parley" --data "$data" user list 2>"$scratch/tool" || fail "$current: a site is no gateway"
    grep -qF -- "--data $data/cell-1" "$scratch/tool" || fail "$current: $(cat "$scratch/tool")"
}

# Leaves in `alice` and `bob` who are at home in the first and in the second cell.
people_are_at_home_in_different_cells() {
    local name home
    alice='' bob=''
    for name in ann ben cleo dan eve finn gus hana ivo jane kim lars mia nils olga paul; do
        # Whoever was made at one cell is known at the other.
        "$binaries/parley" --data "$data/cell-2" user add "$name" --message-privacy anyone >/dev/null
        parley device add "$name" phone >/dev/null
        find_home "$name"
        if ((home == 1)); then alice=${alice:-$name}; else bob=${bob:-$name}; fi
        [[ -z $alice || -z $bob ]] || break
    done
    [[ $alice && $bob ]] || fail "$current: all are at home in one cell"
    # And without HAProxy any cell serves any device.
    for name in "$alice" "$bob"; do
        answers "$name" -p $((port + 1)) && answers "$name" -p $((port + 2)) || fail "$current: a cell does not serve $name"
    done
}

they_chat() {
    local message
    conversation=$(parley request --as "$alice/phone" conversations/create \
        '{"type":"direct","participant_ids":["'"$bob"'"]}' | jq -r .data.id)
    # Makes the keys of a device, which somebody else's messages are sealed for.
    parley chat --as "$bob/phone" --with "$alice" </dev/null 2>>"$scratch/tool"
    "$binaries/parley" --data "$data/cell-1" listen --as "$bob/phone" --json >"$scratch/heard" 2>>"$scratch/tool" &
    children+=("$!")
    XDG_CONFIG_HOME=$data/cell-1/devices/$bob/phone mosquitto_sub -i "$bob:phone:sub" \
        -t "parley/v1/conversations/$conversation/+" >"$scratch/raw" &
    children+=("$!")
    # The conversation itself, which is retained, says that the subscription is in force.
    until_true 60 has_lines "$scratch/raw" 1
    parley send --as "$alice/phone" --to "$bob" 'By way of PostgreSQL' >/dev/null
    until_true 60 hears "$scratch/heard" 'By way of PostgreSQL'
    message='{"id":"0b0c7a52-1111-4222-8333-444455556666","conversation_id":"'$conversation'","message_type":"text",
        "suite":"nacl-box","encrypted_content":"c2VhbGVkIG9uIHRoZSBkZXZpY2U=","nonce":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}'
    as "$alice" mosquitto_pub -i "$alice:phone:pub" -q 1 -t "parley/v1/up/$alice/phone/messages/send" -m "$message"
    until_true 60 hears "$scratch/raw" 0b0c7a52-1111-4222-8333-444455556666
}

# The processes of the second cell.
second_broker() { pgrep -f "^mosquitto -c $data/cell-2/"; }
second_gateway() { pgrep -f "parleyd run --data $data/cell-2 "; }

# served_elsewhere BEGAN TEXT: those whose home is the second cell are served by the other. It says how long that took since
# a moment, in microseconds; how long it may take is for a machine that does nothing else, and scripts/trial-cells.sh.
served_elsewhere() {
    until_true 60 answers "$bob"
    say "$current: after $(((${EPOCHREALTIME//[!0-9]/} - $1) / 1000)) ms"
    parley send --as "$alice/phone" --to "$bob" "$2" >/dev/null
    until_true 60 hears "$scratch/heard" "$2"
}

# comes_back TIMES: the second cell is ready for so many times, and gets devices.
comes_back() {
    until_true 60 was_ready_again "$1"
    until_true 60 is_up 2
}
was_ready_again() { [[ $(grep -c 'parleyd-2 is ready again' "$scratch/errors") == "$1" ]]; }

# Without its configuration the broker cannot be started again.
another_cell_serves_whose_own_is_killed() {
    local began
    mv "$data/cell-2/mosquitto.conf" "$data/cell-2/mosquitto.conf.away"
    began=${EPOCHREALTIME//[!0-9]/}
    kill -KILL "$(second_broker)" "$(second_gateway)"
    served_elsewhere "$began" 'Are you still there?'
    mv "$data/cell-2/mosquitto.conf.away" "$data/cell-2/mosquitto.conf"
    comes_back 1
}

# The broker is back at once, and takes connections, but lets nobody in.
another_cell_serves_whose_own_has_no_gateway() {
    local began broker gateway
    broker=$(second_broker) gateway=$(second_gateway)
    kill -STOP "$gateway"
    began=${EPOCHREALTIME//[!0-9]/}
    kill -KILL "$broker"
    until_true 20 another_broker_listens "$broker"
    served_elsewhere "$began" 'And now?'
    kill -KILL "$gateway"
    comes_back 2
}
another_broker_listens() { [[ $(second_broker) != "$1" ]] && port_taken $((port + 2)); }

a_drained_cell_gets_nobody_new() {
    local before home
    haproxy 'set server broker/cell-1 state drain' >/dev/null
    before=$(connections 1)
    answers "$alice" || fail "$current: $alice is not served"
    [[ $(connections 1) == "$before" ]] || fail "$current: it got a connection"
    haproxy 'set server broker/cell-1 state ready' >/dev/null
    until_true 60 is_up 1
    find_home "$alice"
    ((home == 1)) || fail "$current: it gets nobody any more"
}

goes_on_when_postgresql_is_killed() {
    kill -KILL "$(program postgres)"
    until_true 60 said 'postgresql was ended by signal KILL; starting it again'
    until_true 60 answers "$alice"
    until_true 60 answers "$bob"
    parley send --as "$alice/phone" --to "$bob" 'It is on disk' >/dev/null
    until_true 60 hears "$scratch/heard" 'It is on disk'
}

# ends_all: it ends by itself with status 0, and with it all that it has started.
ends_all() {
    local status=0 child
    until_true 40 gone
    wait "$run" || status=$?
    run=
    ((status == 0)) || fail "$current: status $status"
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    wait "${children[@]}" 2>/dev/null || true
    children=()
    until_true 40 nothing_runs
    ! said 'killing it' || fail "$current: something had to be killed"
}

stops_at_ctrl_c_of_the_terminal() {
    ! said 'may not sign in' || fail "$current: HAProxy's checks fill the broker's log"
    kill -INT -- "-$run"
    ends_all
    [[ $(wc -l <"$scratch/output") == 1 ]] || fail "$current: standard output: $(cat "$scratch/output")"
}

goes_on_with_one_cell() {
    start 1
    answers "$bob" || fail "$current: $bob is not served"
    parley request --as "$alice/phone" history/get "{\"conversation_id\":\"$conversation\"}" >"$scratch/history"
    [[ $(jq -r .data.last_seq "$scratch/history") == 5 ]] || fail "$current: $(cat "$scratch/history")"
}

leaves_nothing_behind_when_killed() {
    kill -KILL "$run"
    wait "$run" 2>/dev/null || true
    run=
    until_true 40 nothing_runs
}

# Two at a time, as they wait more than they work. How fast things are, the long form says on a machine that does nothing
# else.
small_trials_hold() {
    local part number=0
    for part in 'kills promotions' 'stops partitions doorbell removals'; do
        number=$((number + 1))
        # shellcheck disable=SC2086 # They are words.
        small_trials $part >"$scratch/trials-$number" 2>&1 &
        trials+=("$!")
    done
    for number in 1 2; do
        wait "${trials[number - 1]}" || { cat "$scratch/trials-$number" >&2 && fail "$current: it does not"; }
    done
    trials=()
}
small_trials() {
    exec "$root/scripts/trial-cells.sh" --no-install "$@" --short --served-within 30000 --heard-within 10000 \
        --scratch "$scratch"
}
small_trials_find_what_is_planted() {
    small_trials --control asynchronous-standby tail-by-position no-fencing >"$scratch/trials-3" 2>&1 &
    trials=("$!")
    wait "${trials[0]}" || { cat "$scratch/trials-3" >&2 && fail "$current: they do not"; }
    trials=()
}

free_ports 2
for current in refuses_what_it_cannot_use starts_two_cells_from_nothing people_are_at_home_in_different_cells they_chat \
    another_cell_serves_whose_own_is_killed another_cell_serves_whose_own_has_no_gateway \
    a_drained_cell_gets_nobody_new goes_on_when_postgresql_is_killed stops_at_ctrl_c_of_the_terminal \
    goes_on_with_one_cell leaves_nothing_behind_when_killed; do
    say "${current//_/ }"
    "$current"
done
"$root/scripts/test-readme.sh" docs/scaling.md
for current in small_trials_hold small_trials_find_what_is_planted; do
    say "${current//_/ }"
    "$current"
done
say 'all holds'
