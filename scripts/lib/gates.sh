# Sourced, after say.sh, by a script that runs many checks and says how far it is.
#
# The caller sets `gates`, the names in their order, and calls `begin_gates`, `gate NAME COMMAND…` for each, and `end_gates`.
# `logs` is a folder that outlives the script: what each gate took goes there, for the next run to say what is left.

declare -A usual=() failed=()
gate_number=0 current_gate='' gate_log='' ticker=''
gates_began=$SECONDS
timings=()
# How often a gate that takes long says that it goes on.
readonly tick=20

begin_gates() {
    local seconds name sum=0
    mkdir -p "$logs"
    if [[ -f $logs/times ]]; then
        while IFS=$'\t' read -r seconds name; do usual[$name]=$seconds; done <"$logs/times"
    fi
    for name in "${gates[@]}"; do sum=$((sum + ${usual[$name]:-0})); done
    say "${#gates[@]} gates$( ((sum == 0)) || printf ', which took %s when they last ran' "$(minutes "$sum")")"
}

# gate NAME COMMAND…: runs the command, notes how long it took, and whether it failed. Those behind it run all the same: one
# test that fails is no reason to know nothing of the rest. The command is called where `set -e` has no effect.
gate() {
    local began=$SECONDS seconds
    current_gate=$1 gate_number=$((gate_number + 1)) gate_log=$(log_of "$1")
    say "[$gate_number/${#gates[@]}] $1, at $(minutes $((began - gates_began)))${usual[$1]:+; took $(minutes "${usual[$1]}") last time}"
    shift
    : >"$gate_log"
    : >"$gate_log.said"
    keep_ticking "$began" &
    ticker=$!
    if ! "$@" > >(tee -a "$gate_log.said") 2> >(tee -a "$gate_log.said" >&2); then
        failed[$current_gate]=yes
        say "FAILED: $current_gate"
    fi
    stop_ticking
    seconds=$((SECONDS - began))
    timings+=("$(printf '%5d s  %s%s' "$seconds" "$current_gate" "${failed[$current_gate]:+  FAILED}")")
    # A gate that failed says nothing about how long it takes.
    [[ ${failed[$current_gate]-} ]] || usual[$current_gate]=$seconds
    current_gate=
}

log_of() { printf '%s' "$logs/${1//[^a-zA-Z0-9]/-}.log"; }

# minutes SECONDS: as m:ss.
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# keep_ticking BEGAN: says from time to time how long the gate has run, and what its log says of how far it is.
keep_ticking() {
    # Its `sleep` ends with it.
    trap 'kill "$!" 2>/dev/null; exit' TERM
    while :; do
        sleep "$tick" &
        wait "$!"
        say "[$gate_number/${#gates[@]}] $current_gate: $(minutes $((SECONDS - $1)))$(how_far)"
    done
}

stop_ticking() {
    [[ -z $ticker ]] || { kill "$ticker" && wait "$ticker"; } 2>/dev/null || true
    ticker=
}

# How far the build is, or how many tests have passed, by the log of the gate.
how_far() {
    local last
    if last=$(tail -c 4096 "$gate_log" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1) && [[ -n $last ]]; then
        printf ', at %s' "$last"
    elif grep -q '^✔ Test ' "$gate_log"; then
        printf ', %d of about %d tests have passed' "$(grep -cE '^✔ Test [^r]' "$gate_log")" "$expected_tests"
    fi
}

# Prints once more the last that was said by each gate that failed, and what each gate took, and keeps the times. Returns 1 if
# one failed.
end_gates() {
    local name
    for name in "${gates[@]}"; do
        [[ ! ${failed[$name]-} ]] || { say "the last that was said by $name:" && tail -n 40 "$(log_of "$name").said" >&2; }
    done
    for name in "${!usual[@]}"; do printf '%d\t%s\n' "${usual[$name]}" "$name"; done >"$logs/times"
    printf '%s\n' "${timings[@]}" >&2
    ((${#failed[@]} == 0))
}
