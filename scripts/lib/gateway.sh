# Sourced, after say.sh. A gateway that goes with the script.

# start_gateway LOG ARGUMENT…: starts run.sh, leaves its process in `gateway`, and returns when devices can sign in.
start_gateway() {
    local log=$1 line='' pipe
    shift
    pipe=$(mktemp -u "${log%/*}/ready.XXXXXX")
    mkfifo "$pipe"
    "$root/scripts/run.sh" --no-install "$@" >"$pipe" 2>"$log" &
    gateway=$!
    if ! IFS= read -r -t 900 line <"$pipe" || [[ $line != 'parley: ready'* ]]; then
        cat "$log" >&2
        fail "the gateway did not become ready"
    fi
    rm -f "$pipe"
}

stop_gateway() {
    [[ -z ${gateway-} ]] || { kill -TERM "$gateway" && wait "$gateway"; } || true
    gateway=
}
