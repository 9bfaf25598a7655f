# Sourced, after say.sh. A gateway that goes with the script, or cells that do.

# start_gateway LOG ARGUMENT…: starts run.sh, leaves its process in `gateway`, and returns when devices can sign in.
start_gateway() { await_lines run.sh 'parley: ready' "$@"; }

# start_gateway_and_door LOG ARGUMENT…: returns when the web door is there too, and leaves its URL in `web`.
start_gateway_and_door() {
    await_lines run.sh 'parley-web: ready' "$@"
    web=${last_line##* }
}

# start_cells LOG ARGUMENT…: starts run-cells.sh, and returns when devices can sign in.
start_cells() { await_lines run-cells.sh 'parley-cells: ready' "$@"; }

# await_lines SCRIPT BEGINNING LOG ARGUMENT…: starts the script, and returns when it has printed a line that begins so.
await_lines() {
    local script=$1 wanted=$2 log=$3 pipe lines
    shift 3
    last_line=
    pipe=$(mktemp -u "${log%/*}/ready.XXXXXX")
    mkfifo "$pipe"
    "$root/scripts/$script" --no-install "$@" >"$pipe" 2>"$log" &
    gateway=$!
    exec {lines}<"$pipe"
    until [[ $last_line == "$wanted"* ]]; do
        IFS= read -r -t 900 -u "$lines" last_line && continue
        cat "$log" >&2
        fail "the gateway did not become ready"
    done
    exec {lines}<&-
    rm -f "$pipe"
}

stop_gateway() {
    [[ -z ${gateway-} ]] || { kill -TERM "$gateway" && wait "$gateway"; } || true
    gateway=
}
