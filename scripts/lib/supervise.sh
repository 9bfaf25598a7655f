# Sourced, after say.sh. Keeps mosquitto, parleyd and parley-web up until a signal, and stops them in order.
#
# The caller defines `launch_mosquitto`, `launch_parleyd` and `launch_parley-web`, which replace the shell they are called in by
# the program; `broker_socket`, which is there when the broker listens; `once_ready`, which returns at once; and calls
# `supervise`. parley-web is started by `begin parley-web`, or from another process by `announce_built parley-web`; without it
# the gateway goes on. Standard output gets the first line of parleyd that begins `parley: ready`, and the first of parley-web
# that begins `parley-web: ready`.

# Deaths in a row, each within a second of being ready or before it, after which there is no more trying.
most_failures=8
# sysexits' EX_CONFIG: parleyd says by it that another try would end the same way.
permanent_failure=78
# What a child gets to stop by itself, and after a second signal, in hundredths of a second: a broker with full queues
# has much to save.
grace=3000 hurried_grace=100

declare -A pid=() ready_at=() start_at=() failures=()
declare -A announced=()
signals=0 partial=''

# Returns 0 if a signal ended it and both stopped in order.
supervise() {
    # A pipe to itself. What parleyd prints arrives here, and a signal writes a line break to wake the reader.
    exec {events}<> <(:)
    trap 'signals=$((signals + 1)); printf "\n" >&"$events"' INT TERM HUP

    look_at_clock
    start_at=([mosquitto]=$clock)
    while ((signals == 0)); do
        await_event
        keep_up mosquitto || break
        keep_up parleyd || break
        keep_up parley-web || start_at[parley-web]=
    done
    local status=$((signals == 0))
    stop parley-web || status=1
    stop parleyd || status=1
    stop mosquitto || status=1
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
    local line='' patience=0.1
    [[ ${ready_at[mosquitto]-} && ${ready_at[parleyd]-} ]] || patience=0.02
    if read -r -t "$patience" -u "$events" line; then
        line=$partial$line partial=''
    else
        # The moment can be over in the middle of a line.
        partial+=$line line=''
    fi
    look_at_clock
    case $line in
    'parley: ready'*) is_ready parleyd "$line" && once_ready ;;
    'parley-web: ready'*) is_ready parley-web "$line" || true ;;
    'built: parley-web') begin parley-web ;;
    ?*) printf '%s\n' "$line" >&2 ;;
    esac
    if [[ ${pid[mosquitto]-} && ! ${ready_at[mosquitto]-} && -S $broker_socket ]]; then
        ready_at[mosquitto]=$clock
        # The first start is in order: the gateway has nothing to do before there is a broker.
        [[ ${start_at[parleyd]-} ]] || start_at[parleyd]=$clock
    fi
}

# is_ready NAME LINE: says so, by its own line when it is ready for the first time, which is told by status 0.
is_ready() {
    ready_at[$1]=$clock
    if [[ ${announced[$1]-} ]]; then
        say "$1 is ready again"
        return 1
    fi
    announced[$1]=yes
    # Whoever has read one line may have closed the other end, which is no reason to end.
    (trap '' PIPE && printf '%s\n' "$2") 2>/dev/null || true
}

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
    # In a session of its own, so that the terminal's Ctrl-C reaches this script alone.
    case $1 in
    mosquitto)
        rm -f "$broker_socket"
        (launch_mosquitto) </dev/null >&2 {events}>&- &
        ;;
    *) ("launch_$1") </dev/null >&"$events" {events}>&- & ;;
    esac
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
        say "$name $how, which means that trying again is no use; its last words are above"
        return 1
    elif ((${failures[$name]} >= most_failures)); then
        say "$name $how, $most_failures times in a row before it was ready or within a second of it: giving up"
        return 1
    fi
    say "$name $how; starting it again$( ((pause == 0)) || printf ' in %d.%02d s' $((pause / 100)) $((pause % 100)))"
    start_at[$name]=$((clock + pause))
}

# Ends a child and waits until it is gone. Fails if it had to be killed, because it did not stop in time.
stop() {
    local name=$1 deadline killed=0
    [[ ${pid[$name]-} ]] || return 0
    look_at_clock
    deadline=$((clock + grace))
    kill -TERM "${pid[$name]}" 2>/dev/null || true
    while kill -0 "${pid[$name]}" 2>/dev/null; do
        if ((signals > 1 && deadline > clock + hurried_grace)); then deadline=$((clock + hurried_grace)); fi
        if ((killed == 0 && clock >= deadline)); then
            say "$name has not stopped yet: killing it"
            kill -KILL "${pid[$name]}" 2>/dev/null || true
            killed=1
        fi
        await_event
    done
    wait "${pid[$name]}" 2>/dev/null || true
    pid[$name]=
    return "$killed"
}
