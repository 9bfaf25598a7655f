#!/usr/bin/env bash
# Tests scripts/run.sh from outside, with the real broker and gateway: starting, refusing to start, stopping, and
# keeping up what is killed. Every wait is for a condition, with a generous limit; ports are free ones.
# Usage: scripts/test-run.sh [NAME…]   runs the tests named, or all of them
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"

tests=(
    stays_quiet_but_for_two_lines
    logs_in_one_form
    logs_the_broker_in_its_own_form
    builds_the_tool_when_ready
    builds_what_has_changed
    goes_on_when_its_output_is_closed
    stops_at_the_first_signal
    stops_at_ctrl_c_of_the_terminal
    keeps_keys_and_takes_new_ports
    starts_again_what_is_killed
    leaves_nothing_behind_when_killed
    refuses_a_taken_port
    refuses_a_directory_in_use
    follows_no_link_as_root
    does_not_run_as_root
    refuses_what_it_cannot_use
    gives_up_what_cannot_be_kept_up
)

scratch=$(mktemp -d)
# A space, because there are such directories.
data="$scratch/a gateway"
run=
trap finish EXIT

finish() {
    local status=$?
    [[ -z $run ]] || kill -TERM "$run" 2>/dev/null || true
    wait 2>/dev/null || true
    ((status == 0)) || tail -n 40 "$scratch/errors" >&2
    rm -rf "$scratch"
    exit "$status"
}

# start ARGUMENT…: starts run.sh for $data with free ports, and leaves its process in `run`.
start() {
    : >"$scratch/output" && : >"$scratch/errors"
    setsid "$root/scripts/run.sh" --data "$data" "$@" >"$scratch/output" 2>"$scratch/errors" &
    run=$!
}

start_ready() {
    pick_ports
    start --mqtt-port "$mqtt_port" --web-port "$web_port"
    until_all_ready
}

# The gateway, and then the web door.
until_all_ready() {
    until_true 600 ready_or_gone
    ready || fail "$current: run.sh ended before it was ready"
    until_true 1200 web_ready_or_gone
    web_ready || fail "$current: run.sh ended before the web door was there"
}

pick_ports() {
    mqtt_port=$(free_port)
    until web_port=$(free_port) && [[ $web_port != "$mqtt_port" ]]; do :; done
}

ready() { grep -q '^parley: ready' "$scratch/output"; }
web_ready() { grep -qx "parley-web: ready, http://127.0.0.1:[0-9]*" "$scratch/output"; }
gone() { ! kill -0 "$run" 2>/dev/null; }
ready_or_gone() { ready || gone; }
web_ready_or_gone() { web_ready || gone; }
said() { grep -qF -- "$1" "$scratch/errors"; }

# The process of a child of run.sh, by name; fails if there is none.
child() {
    local process children
    read -ra children <"/proc/$run/task/$run/children"
    for process in "${children[@]}"; do
        if [[ $(cat "/proc/$process/comm" 2>/dev/null) == "$1" ]]; then echo "$process" && return; fi
    done
    return 1
}
other_child() { local process && process=$(child "$1") && [[ $process != "$2" ]]; }
process_gone() { ! kill -0 "$1" 2>/dev/null; }
listening() { port_taken "$1"; }

# ends STATUS: run.sh ends by itself with this status.
ends() {
    local status=0
    until_true 120 gone
    wait "$run" || status=$?
    run=
    [[ $status == "$1" ]] || fail "$current: run.sh ended with status $status, not $1"
}

# refused TEXT ARGUMENT…: with these arguments run.sh ends with status 1, says TEXT and prints nothing.
refused() {
    local text=$1 status=0
    shift
    "$root/scripts/run.sh" "$@" >"$scratch/refused.output" 2>"$scratch/refused.errors" </dev/null || status=$?
    [[ $status == 1 ]] || fail "$current: status $status, not 1, for: $*"
    grep -qF -- "$text" "$scratch/refused.errors" ||
        fail "$current: expected «$text», got «$(cat "$scratch/refused.errors")»"
    [[ ! -s $scratch/refused.output ]] || fail "$current: standard output should be empty"
}

stays_quiet_but_for_two_lines() {
    start_ready
    listening "$mqtt_port" && listening "$web_port" || fail "$current: it is ready and does not listen"
    [[ $(stat -c %a "$data") == 700 ]] || fail "$current: others can read the data directory"
    kill -TERM "$run"
    ends 0
    [[ $(wc -l <"$scratch/output") == 2 ]] || fail "$current: standard output: $(cat "$scratch/output")"
    said ' notice supervisor stopped' || fail "$current: it ends without a word"
    ! said TCP_NODELAY || fail "$current: standard error: $(cat "$scratch/errors")"
}

# have_form FILTER: every line of standard error fits, of all programs, and jq's FILTER makes a record of each.
have_form() {
    local component
    jq -ne "def is_record: (.time | test(\"^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z\$\")) and
            (.level | test(\"^(debug|info|notice|warning|error)\$\")) and
            (.component | test(\"^(mosquitto|parleyd|parley-web|supervisor)\$\")) and (.message | test(\".\"));
        [inputs | $1 | select(is_record | not)] == []" "${@:2}" "$scratch/records" >/dev/null ||
        fail "$current: a line of standard error has another form: $(cat "$scratch/records")"
    for component in mosquitto parleyd supervisor; do
        grep -qE "[ \"]${component}[ \"]" "$scratch/records" || fail "$current: $component has logged nothing"
    done
}

# From when the programs run on; what is said before is for a person. One of each is killed, to be told of.
logs_in_one_form() {
    local form text
    text='capture("^(?<time>[^ ]+) (?<level>[a-z]+) (?<component>[a-z-]+) (?<message>.*)$") // {time: "", level: "", component: "", message: .}'
    for form in text json; do
        pick_ports
        start --mqtt-port "$mqtt_port" --web-port "$web_port" --log-format "$form"
        until_all_ready
        until_true 1200 said 'scripts/parley is built'
        kill -KILL "$(child mosquitto)" "$(child parley-web)"
        until_true 60 said 'parley-web is ready again'
        until_true 60 said 'connected again'
        kill -TERM "$run"
        ends 0
        sed -n '/^[{0-9]/,$p' "$scratch/errors" >"$scratch/records"
        if [[ $form == json ]]; then have_form .; else have_form "$text" -R; fi
    done
    refused 'takes text or json' --data "$scratch/other" --log-format xml
}

# Where what brings the broker's lines into the form of the rest is killed.
logs_the_broker_in_its_own_form() {
    local broker translator
    start_ready
    broker=$(child mosquitto)
    translator=$(pgrep -f "^[^ ]*/parleyd broker-log --data $data ") || fail "$current: nothing brings the broker's lines into form"
    kill -KILL "$translator"
    until_true 60 pipes_to_cat "$broker"
    kill -HUP "$broker"
    # It reads its configuration again, and says of it what is left out otherwise.
    until_true 60 said ': Note: It is recommended to replace `message_size_limit`'
    [[ $(child mosquitto) == "$broker" ]] || fail "$current: the broker has ended"
    kill -TERM "$run"
    ends 0
}

# pipes_to_cat PROCESS: whether `cat` reads what a process writes.
pipes_to_cat() {
    local pipe reader
    pipe=$(readlink "/proc/$1/fd/1")
    for reader in $(pgrep -x cat); do [[ $(readlink "/proc/$reader/fd/0") != "$pipe" ]] || return 0; done
    return 1
}

builds_the_tool_when_ready() {
    start_ready
    until_true 1200 said 'scripts/parley is built'
    kill -TERM "$run"
    ends 0
}

builds_what_has_changed() {
    start_ready
    kill -TERM "$run"
    ends 0
    ! said 'building' || fail "$current: nothing has changed, and it builds"
    [[ -z ${PARLEY_PRODUCTS-} ]] || return 0
    # Nothing is compiled anew for it.
    touch "$root/Package.swift"
    start_ready
    kill -TERM "$run"
    ends 0
    said 'building parleyd' || fail "$current: something has changed, and it does not build"
}

# As by somebody who waits for the first line alone.
goes_on_when_its_output_is_closed() {
    pick_ports
    : >"$scratch/errors"
    mkfifo "$scratch/pipe"
    setsid "$root/scripts/run.sh" --data "$data" --mqtt-port "$mqtt_port" --web-port "$web_port" \
        >"$scratch/pipe" 2>"$scratch/errors" &
    run=$!
    head -n 1 <"$scratch/pipe" | grep -q '^parley: ready' || fail "$current: its first line is another"
    until_true 1200 listening "$web_port"
    # It has said so by the time that it starts the door again.
    kill -KILL "$(child parley-web)"
    until_true 60 said 'parley-web is ready again'
    kill -TERM "$run"
    ends 0
}

stops_at_the_first_signal() {
    local signal broker gateway door
    for signal in INT TERM; do
        start_ready
        broker=$(child mosquitto) gateway=$(child parleyd) door=$(child parley-web)
        kill "-$signal" "$run"
        ends 0
        process_gone "$broker" && process_gone "$gateway" && process_gone "$door" || fail "$current: something still runs after SIG$signal"
    done
}

# The terminal sends SIGINT to the whole foreground process group.
stops_at_ctrl_c_of_the_terminal() {
    local name
    start_ready
    for name in mosquitto parleyd parley-web; do
        [[ $(cut -d " " -f 5 "/proc/$(child "$name")/stat") != "$run" ]] || fail "$current: it would hit $name too"
    done
    kill -INT -- "-$run"
    ends 0
}

keeps_keys_and_takes_new_ports() {
    local keys old_port
    start_ready
    keys=$(cat "$data"/keys/* | sha256sum) old_port=$mqtt_port
    # Development's, in a directory that was made for it.
    [[ $(cat "$data/parleyd.json") == *'"registration":"open"'* ]] || fail "$current: nobody can register"
    kill -TERM "$run"
    ends 0
    printf '{}\n' >"$data/parleyd.json"
    start_ready
    [[ $(cat "$data/parleyd.json") == '{}' ]] || fail "$current: the settings have changed"
    listening "$mqtt_port" && ! listening "$old_port" || fail "$current: the new port is not in force"
    [[ $(cat "$data"/keys/* | sha256sum) == "$keys" ]] || fail "$current: the keys have changed"
    kill -TERM "$run"
    ends 0
    # Without a word about ports they stay as they are.
    start
    until_all_ready
    listening "$mqtt_port" && listening "$web_port" || fail "$current: the ports have not stayed"
    kill -TERM "$run"
    ends 0
}

starts_again_what_is_killed() {
    local name old began
    start_ready
    for name in parleyd mosquitto parleyd parley-web; do
        old=$(child "$name")
        kill -KILL "$old"
        began=$EPOCHREALTIME
        until_true 20 other_child "$name" "$old"
        say "$current: $name was back after $(((${EPOCHREALTIME//[!0-9]/} - ${began//[!0-9]/}) / 1000)) ms"
        until_true 20 said "$name was ended by signal KILL; starting it again"
        until_true 60 listening "$mqtt_port"
    done
    until_true 60 said 'parleyd is ready again'
    until_true 60 said 'parley-web is ready again'
    kill -TERM "$run"
    ends 0
    [[ $(wc -l <"$scratch/output") == 2 ]] || fail "$current: standard output: $(cat "$scratch/output")"
}

leaves_nothing_behind_when_killed() {
    local process processes
    start_ready
    processes=("$(child mosquitto)" "$(child parleyd)" "$(child parley-web)")
    kill -KILL "$run"
    for process in "${processes[@]}"; do until_true 60 process_gone "$process"; done
    wait "$run" 2>/dev/null || true
    start_ready
    kill -TERM "$run"
    ends 0
}

refuses_a_taken_port() {
    local other
    start_ready
    other=$(free_port)
    refused "port $mqtt_port is taken" --data "$scratch/other" --mqtt-port "$mqtt_port" --web-port "$other"
    refused "port $web_port is taken" --data "$scratch/other" --mqtt-port "$other" --web-port "$web_port"
    [[ ! -e $scratch/other/keys ]] || fail "$current: the refused gateway has got keys"
    child mosquitto >/dev/null && child parleyd >/dev/null || fail "$current: the running gateway was hurt"
    kill -TERM "$run"
    ends 0
}

refuses_a_directory_in_use() {
    start_ready
    refused 'is in use' --data "$data" --mqtt-port "$(free_port)" --web-port "$(free_port)"
    grep -q "^listener $mqtt_port " "$data/mosquitto.conf" || fail "$current: the configuration in use was changed"
    kill -TERM "$run"
    ends 0
}

# A directory of somebody else's, with a link of theirs where earlier versions made their lock file.
follows_no_link_as_root() {
    if ((EUID != 0)); then say "$current: skipped, this is not root" && return; fi
    local theirs=$scratch/theirs roots=$scratch/roots
    chmod 711 "$scratch"
    install -d -o nobody -g nogroup -m 755 "$theirs" "$theirs/keys"
    install -m 600 /dev/null "$roots"
    ln -s "$roots" "$theirs/run.lock"
    (. "$root/scripts/lib/data-directory.sh" && take_data_directory "$theirs" no)
    [[ $(stat -c '%U %a' "$roots") == 'root 600' ]] || fail "$current: root's file became $(stat -c '%U %a' "$roots")"
    [[ $(stat -c '%U %a' "$theirs") == 'nobody 700' ]] || fail "$current: the directory became $(stat -c '%U %a' "$theirs")"
}

# The scratch directory is closed to all but root, as root's home is.
# shellcheck disable=SC2031  # what take_data_directory sets is local
does_not_run_as_root() {
    if ((EUID != 0)); then say "$current: skipped, this is not root" && return; fi
    local name others roots="$scratch/root's gateway"
    chmod 700 "$scratch"
    start_ready
    for name in mosquitto parleyd parley-web; do
        [[ $(stat -c %U "/proc/$(child "$name")") == parley ]] || fail "$current: $name runs as root"
    done
    # What root does in it is parley's, too.
    until_true 1200 said 'scripts/parley is built'
    "$root/scripts/parley" --data "$data" user add roots >/dev/null
    "$root/scripts/parley" --data "$data" device add roots phone >/dev/null
    others=$(find "$data" ! -user parley -o -type f -perm /077)
    [[ -z $others ]] || fail "$current: something is not parley's alone: $others"
    kill -TERM "$run"
    ends 0

    install -d "$roots" "$roots/keys"
    refused 'the broker is not to run as root' --data "$roots"
    [[ $(stat -c %U "$roots" "$roots/keys" | sort -u) == root ]] || fail "$current: a full directory was given away"
    data=$roots
    pick_ports
    start --allow-root --mqtt-port "$mqtt_port" --web-port "$web_port"
    until_all_ready
    [[ $(stat -c %U "/proc/$(child mosquitto)") == root ]] || fail "$current: --allow-root is without effect"
    kill -TERM "$run"
    ends 0
    data="$scratch/a gateway"
}

refuses_what_it_cannot_use() {
    local long same
    printf -v long '%0120d' 0
    mkdir "$scratch/full" && echo 1 >"$scratch/full/something"
    refused 'has something else in it' --data "$scratch/full"
    [[ $(ls -A "$scratch/full") == something ]] || fail "$current: something was put into the directory"
    refused 'cannot be made' --data "/proc/parley"
    refused 'is not a directory' --data "$scratch/full/something"
    refused "socket's path" --data "$scratch/$long"
    refused 'takes a port' --data "$scratch/other" --mqtt-port 65536
    refused 'takes a port' --data "$scratch/other" --mqtt-port 1893x
    same=$(free_port)
    refused 'must differ' --data "$scratch/other" --mqtt-port "$same" --web-port "$same"
    refused 'no option' --port 1
    refused 'needs a value' --data
}

gives_up_what_cannot_be_kept_up() {
    start_ready
    echo 'no_such_option' >>"$data/mosquitto.conf"
    kill -KILL "$(child mosquitto)"
    ends 1
    said 'giving up' || fail "$current: it does not say why it ended"
    # The next start writes the configuration anew.
    start_ready
    kill -TERM "$run"
    ends 0
}

for current; do
    [[ " ${tests[*]} " == *" $current "* ]] || fail "there is no test $current; there are: ${tests[*]}"
done
(($# == 0)) || tests=("$@")
for current in "${tests[@]}"; do
    say "$current"
    "$current"
done
say "${#tests[@]} tests passed"
