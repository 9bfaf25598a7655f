# Sourced, after say.sh. A gateway that goes with the script.

# start_gateway LOG ARGUMENT…: starts run.sh, leaves its process in `gateway`, and returns when devices can sign in.
start_gateway() { await_lines 'parley: ready' "$@"; }

# start_gateway_and_door LOG ARGUMENT…: returns when the web door is there too, and leaves its URL in `web`.
start_gateway_and_door() {
    await_lines 'parley-web: ready' "$@"
    web=${last_line##* }
}

# await_lines BEGINNING LOG ARGUMENT…: starts run.sh, and returns when it has printed a line that begins so.
await_lines() {
    local wanted=$1 log=$2 pipe lines
    shift 2
    last_line=
    pipe=$(mktemp -u "${log%/*}/ready.XXXXXX")
    mkfifo "$pipe"
    "$root/scripts/run.sh" --no-install "$@" >"$pipe" 2>"$log" &
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
