# Sourced, after say.sh, by a script that runs many checks and says how far it is.
#
# The caller sets `gates`, the names in their order, and calls `begin_gates`, `gate NAME COMMAND…` or `gate_beside NAME
# COMMAND…` for each, and `end_gates`; when it ends before, `stop_gates`. `logs` is a folder that outlives the script: what
# each gate said and took goes there, the times for the next run to say what is left. A gate that fails does not keep those
# behind it from running.

# By name: seconds that it last took; whether it failed; and of those that run the process, when it began and when it is to
# have ended.
declare -A usual=() failed=() running=() speaking=() began=() ends_by=()
gate_number=0 gates_began=$SECONDS next_tick=0 timings=()
# How often it is said of gates that run that they go on, in seconds.
tick=20
# In seconds, for a gate and for all of them: nothing takes so long unless it hangs. What watches over this script may end
# it without a word after 90 minutes.
gate_limit=2100 gates_limit=5220
# How long a gate that is ended may take to clear up, in seconds.
gate_grace=20
# How many gates run beside each other: with two processors, of gates that wait more than they work.
gates_at_once=3

begin_gates() {
    local seconds name sum=0
    mkdir -p "$logs"
    if [[ -f $logs/times ]]; then
        while IFS=$'\t' read -r seconds name; do usual[$name]=$seconds; done <"$logs/times"
    fi
    for name in "${gates[@]}"; do sum=$((sum + ${usual[$name]:-0})); done
    say "${#gates[@]} gates$( ((sum == 0)) || printf ', which by themselves took %s when they last ran' "$(minutes "$sum")")"
}

# gate NAME COMMAND…: runs the command alone. Returns 0 when it has ended; `has_passed NAME` says how.
gate() {
    await_gates 0
    start_gate '' "$@"
    await_gates 0
}

# gate_beside NAME COMMAND…: runs the command beside others that are begun so, and returns while it runs. Each line that it
# says has its name before it.
gate_beside() {
    await_gates $((gates_at_once - 1))
    start_gate "$1 | " "$@"
}

has_passed() { [[ ! ${running[$1]-} && ! ${failed[$1]-} ]]; }

log_of() { printf '%s' "$logs/${1//[^a-zA-Z0-9]/-}.log"; }

# minutes SECONDS: as m:ss.
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# start_gate PREFIX NAME COMMAND…: in a shell and a process group of its own. `gate_log` is the command's, to write to.
start_gate() {
    local prefix=$1 name=$2 said
    shift 2
    gate_number=$((gate_number + 1)) began[$name]=$SECONDS
    ends_by[$name]=$((SECONDS + gate_limit))
    ((ends_by[$name] <= gates_began + gates_limit)) || ends_by[$name]=$((gates_began + gates_limit))
    say "[$gate_number/${#gates[@]}] $name, at $(minutes $((SECONDS - gates_began)))${usual[$name]:+; took $(minutes "${usual[$name]}") last time}"
    gate_log=$(log_of "$name") said=$gate_log.said
    : >"$gate_log"
    : >"$said"
    set -m
    (set +m && "$@") </dev/null >>"$said" 2>&1 &
    running[$name]=$!
    set +m
    # Ends with the gate, though something of it that was left behind still holds its output open.
    tail -f -n +1 -s 0.2 --pid="${running[$name]}" "$said" | sed -u "s/^/$prefix/" >&2 &
    speaking[$name]=$!
}

# await_gates COUNT: returns when no more than so many run.
await_gates() {
    local name
    while ((${#running[@]} > $1)); do
        for name in "${!running[@]}"; do
            if ! kill -0 "${running[$name]}" 2>/dev/null; then
                end_gate "$name"
            elif ((SECONDS >= ends_by[$name])); then
                say "$name has not ended after $(minutes $((SECONDS - began[$name]))), and is ended. What runs of it:"
                pgrep -a -g "${running[$name]}" | cut -c1-200 >&2 || true
                stop_gate "$name"
                failed[$name]=yes
            fi
        done
        ((SECONDS < next_tick)) || say_how_far
        sleep 0.2
    done
}

# end_gate NAME: notes how long a gate that has ended took, and whether it failed.
end_gate() {
    local name=$1 seconds=$((SECONDS - began[$1]))
    wait "${running[$name]}" 2>/dev/null || failed[$name]=yes
    wait "${speaking[$name]}" || true
    unset "running[$name]"
    timings+=("$(printf '%5d s  %s%s' "$seconds" "$name" "${failed[$name]:+  FAILED}")")
    # A gate that failed says nothing about how long it takes.
    if [[ ${failed[$name]-} ]]; then say "FAILED: $name"; else usual[$name]=$seconds; fi
}

# stop_gate NAME: ends all that is in its process group.
stop_gate() {
    local group=-${running[$1]} deadline=$((SECONDS + gate_grace))
    kill -TERM -- "$group" 2>/dev/null || return 0
    while kill -0 -- "$group" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.1; done
    kill -KILL -- "$group" 2>/dev/null || true
}

# Ends those that run, for a caller who is ended itself.
stop_gates() {
    local name
    for name in "${!running[@]}"; do
        say "ended while it ran: $name"
        stop_gate "$name"
    done
}

# Says of each gate how long it has run, and what its log says of how far it is.
say_how_far() {
    local name seconds
    next_tick=$((SECONDS + tick))
    for name in "${!running[@]}"; do
        seconds=$((SECONDS - began[$name]))
        ((seconds < tick)) || say "$name: $(minutes "$seconds")$(how_far "$(log_of "$name")")"
    done
}

# how_far LOG: how far a build is, or how many tests have passed.
how_far() {
    local last
    if last=$(tail -c 4096 "$1" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1) && [[ -n $last ]]; then
        printf ', at %s' "$last"
    elif grep -q '^✔ Test ' "$1"; then
        printf ', %d of about %d tests have passed' "$(grep -cE '^✔ Test [^r]' "$1")" "$expected_tests"
    fi
}

# Waits for the gates that run. Prints once more the last that was said by each gate that failed, and what each gate took, and
# keeps the times. Returns 1 if one failed.
end_gates() {
    local name
    await_gates 0
    for name in "${gates[@]}"; do
        [[ ! ${failed[$name]-} ]] || { say "the last that was said by $name:" && tail -n 40 "$(log_of "$name").said" >&2; }
    done
    for name in "${!usual[@]}"; do printf '%d\t%s\n' "${usual[$name]}" "$name"; done >"$logs/times"
    printf '%s\n' "${timings[@]}" >&2
    ((${#failed[@]} == 0))
}
