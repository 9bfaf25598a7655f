# Sourced, after say.sh and reach.sh. Keeps programs up until a signal, and stops them in order.
#
# The caller sets `programs`: names in the order in which they are first started, each once the one before it is ready; they
# are stopped in the reverse order. And it defines
#   launch NAME        replaces the shell that it is called in by the program
#   clear_for NAME     removes what would make a program look ready that is not started yet
#   looks_ready NAME   whether a program is ready that does not say so
#   find_ready LINE    sets `name` to the program that says by this line that it is ready, or to nothing
#   once_ready NAME LINE   called when a program is ready for the first time; returns at once
# and calls `supervise`. `begin NAME`, or from another process `announce_built NAME`, starts a program that is not among
# `programs`; those in `dispensable` may fail for good, and the others go on. What programs print, and is no such LINE, goes
# to standard error.

# Deaths in a row, each within a second of being ready or before it, after which there is no more trying.
most_failures=8
# sysexits' EX_CONFIG: parleyd says by it that another try would end the same way.
permanent_failure=78
# What a child gets to stop by itself, and after a second signal, in hundredths of a second: a broker with full queues
# has much to save.
grace=3000 hurried_grace=100

# The form of what is logged, and the options by which the programs log in it.
log_format=text log_options=()

declare -A pid=() ready_at=() start_at=() failures=() announced=()
# A signal by which a program stops sooner than by SIGTERM.
declare -A stop_signal=()
dispensable=()
signals=0 partial=''

# log LEVEL SENTENCE: a line of the supervisor's own, in the form of the programs'. Of a sentence JSON gets printable ASCII
# alone, without what would have to be escaped.
log() {
    local now=${EPOCHREALTIME//[!0-9]/} time
    TZ=UTC printf -v time '%(%Y-%m-%dT%H:%M:%S)T' "${now:0:-6}"
    time+=.${now: -6:3}Z
    if [[ $log_format == json ]]; then
        local LC_ALL=C
        printf '{"time":"%s","level":"%s","component":"supervisor","message":"%s"}\n' "$time" "$1" "${2//[^ !#-[\]-~]/?}"
    else
        printf '%s %s supervisor %s\n' "$time" "$1" "${2//[[:cntrl:]]/?}"
    fi >&2
}

# Logs what a build says on standard input: its sentences, and where it fails what the compiler has said.
log_build() {
    local line
    while IFS= read -r line; do
        case $line in
        "${0##*/}: "*' does not build') log error "${line#*: }" ;;
        "${0##*/}: "*) log notice "${line#*: }" ;;
        *error:*) log error "$line" ;;
        *) log info "$line" ;;
        esac
    done
}

# log_broker DIRECTORY COMMAND…: runs the broker of a data directory in the place of this shell. `parleyd broker-log` writes its
# lines to standard error in the form of the programs' lines, and ignores the terminal's Ctrl-C, so that the last ones are not
# lost. If it fails, the lines come as Mosquitto writes them.
log_broker() {
    local data=$1
    shift
    TZ=UTC "$@" > >(
        trap '' INT HUP TERM
        exec >&2
        (as_owner "$binaries/parleyd" broker-log --data "$data" "${log_options[@]}") || exec cat
    ) 2>&1
}

# Returns 0 if a signal ended it and all stopped in order.
supervise() {
    local name
    # A pipe to itself. What programs print arrives here, and a signal writes a line break to wake the reader.
    exec {events}<> <(:)
    trap 'signals=$((signals + 1)); printf "\n" >&"$events"' INT TERM HUP

    look_at_clock
    start_at=(["${programs[0]}"]=$clock)
    while ((signals == 0)); do
        await_event
        for name in "${programs[@]}"; do keep_up "$name" || break 2; done
        for name in "${dispensable[@]}"; do keep_up "$name" || start_at[$name]=; done
    done
    local status=$((signals == 0)) index
    for name in "${dispensable[@]}"; do stop "$name" || status=1; done
    for ((index = ${#programs[@]} - 1; index >= 0; index--)); do stop "${programs[index]}" || status=1; done
    return "$status"
}

# Hundredths of a second by a clock that nobody sets.
look_at_clock() {
    local uptime
    read -r uptime _ </proc/uptime
    clock=$((10#${uptime/./}))
}

# Waits for a line or a moment: bash's `read` does not end when a child does, so children are looked at in turns, more
# often while one is starting.
await_event() {
    local line='' patience=0.1 name
    ! is_starting || patience=0.02
    if read -r -t "$patience" -u "$events" line; then
        line=$partial$line partial=''
    else
        # The moment can be over in the middle of a line.
        partial+=$line line=''
    fi
    look_at_clock
    if [[ $line == 'built: '* ]]; then
        begin "${line#built: }"
    elif [[ -n $line ]]; then
        find_ready "$line"
        if [[ -n $name ]]; then is_ready "$name" "$line"; else printf '%s\n' "$line" >&2; fi
    fi
    for name in "${programs[@]}"; do
        if [[ ${pid[$name]-} && ! ${ready_at[$name]-} ]] && looks_ready "$name"; then is_ready "$name" ''; fi
    done
    begin_next
}

# Whether a program is not ready yet that was, or is to be, started.
is_starting() {
    local name
    for name in "${programs[@]}"; do [[ ${ready_at[$name]-} ]] || return 0; done
    return 1
}

# The first start is in order: a gateway has nothing to do before there is a broker.
begin_next() {
    local name
    for name in "${programs[@]}"; do
        if [[ ! ${start_at[$name]-} ]]; then begin "$name" && return; fi
        [[ ${announced[$name]-} ]] || return 0
    done
}

# is_ready NAME LINE: the caller hears of the first time.
is_ready() {
    ready_at[$1]=$clock
    if [[ ${announced[$1]-} ]]; then
        # A program that only looks so is known by what others say.
        [[ -z $2 ]] || log notice "$1 is ready again"
        return
    fi
    announced[$1]=yes
    once_ready "$1" "$2"
}

# print_line LINE: whoever has read one line may have closed the other end, which is no reason to end.
print_line() { (trap '' PIPE && printf '%s\n' "$1") 2>/dev/null || true; }

# begin NAME: starts a child at the next turn.
begin() { start_at[$1]=$clock; }

# announce_built NAME: has the supervisor, of which this process is a child, begin NAME.
announce_built() { printf 'built: %s\n' "$1" >&"$events"; }

# Starts a child when its time has come, and sees whether it is still there. Fails when it cannot be kept up.
keep_up() {
    local name=$1
    if [[ ! ${pid[$name]-} ]]; then
        [[ ! ${start_at[$name]-} ]] || ((start_at[$name] > clock)) || start "$name"
    elif ! kill -0 "${pid[$name]}" 2>/dev/null; then
        ended "$name"
    fi
}

start() {
    clear_for "$1"
    # In a session of its own, so that the terminal's Ctrl-C reaches this script alone.
    (launch "$1") </dev/null >&"$events" {events}>&- &
    pid[$1]=$!
    ready_at[$1]=
}

# Notes that a child has died and when to start it again. Fails if that is never.
ended() {
    local name=$1 status=0 pause how
    # Quietly: bash would tell of the signal in its own words.
    wait "${pid[$name]}" 2>/dev/null || status=$?
    pid[$name]=
    how="ended with status $status"
    ((status <= 128)) || how="was ended by signal $(kill -l "$status" 2>/dev/null || echo $((status - 128)))"

    if [[ ${ready_at[$name]} ]] && ((clock - ready_at[$name] >= 100)); then
        failures[$name]=0 pause=0
    else
        failures[$name]=$((${failures[$name]:-0} + 1))
        pause=$((5 << failures[$name]))
        ((pause <= 300)) || pause=300
    fi
    if ((status == permanent_failure)); then
        log error "$name $how, which means that trying again is no use; its last words are above"
        return 1
    elif ((${failures[$name]} >= most_failures)); then
        log error "$name $how, $most_failures times in a row before it was ready or within a second of it: giving up"
        return 1
    fi
    log warning "$name $how; starting it again$( ((pause == 0)) || printf ' in %d.%02d s' $((pause / 100)) $((pause % 100)))"
    start_at[$name]=$((clock + pause))
}

# Ends a child and waits until it is gone. Fails if it had to be killed, because it did not stop in time.
stop() {
    local name=$1 deadline killed=0
    [[ ${pid[$name]-} ]] || return 0
    look_at_clock
    deadline=$((clock + grace))
    kill "-${stop_signal[$name]:-TERM}" "${pid[$name]}" 2>/dev/null || true
    while kill -0 "${pid[$name]}" 2>/dev/null; do
        if ((signals > 1 && deadline > clock + hurried_grace)); then deadline=$((clock + hurried_grace)); fi
        if ((killed == 0 && clock >= deadline)); then
            log warning "$name has not stopped yet: killing it"
            kill -KILL "${pid[$name]}" 2>/dev/null || true
            killed=1
        fi
        await_event
    done
    wait "${pid[$name]}" 2>/dev/null || true
    pid[$name]=
    return "$killed"
}

# A connection takes a file descriptor, and the usual limit of 1024 is less than the templates allow connections. Not
# more than is of use: libwebsockets allocates by this limit.
raise_descriptors() {
    local limit
    limit=$(ulimit -S -n)
    [[ $limit == unlimited ]] || ((limit >= 65536)) || ulimit -S -n 65536 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"
}
