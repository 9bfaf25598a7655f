# Sourced, after say.sh. Tests that stand still are ended, and it is said which they were.

# In seconds. No test says nothing for so long, however busy the machine is.
longest_silence=600

# watched LOG PATTERN COMMAND…: runs `swift test …` with its output in LOG, and prints lines that match PATTERN.
watched() {
    local log=$1 pattern=$2 tests size before=-1 changed=$SECONDS
    shift 2
    "$@" >"$log" 2>&1 &
    tests=$!
    tail -f --pid="$tests" -n +1 "$log" | { grep --line-buffered -E "$pattern" || true; } &
    while kill -0 "$tests" 2>/dev/null; do
        size=$(stat -c %s "$log")
        [[ $size == "$before" ]] || { before=$size changed=$SECONDS; }
        ((SECONDS - changed < longest_silence)) || { end_silent_tests "$tests" "$log" && break; }
        sleep 1
    done
    wait "$tests"
}

# end_silent_tests PID LOG: the child of `swift test` is the process that runs the tests.
end_silent_tests() {
    local runner
    runner=$(pgrep -o -P "$1") || return 0
    say "nothing was said for $((longest_silence / 60)) minutes"
    # Where the debugger is at hand. Not all of it: most threads wait for work.
    if command -v gdb >/dev/null; then
        timeout 300 gdb -p "$runner" -batch -nx -ex 'thread apply all backtrace 30' 2>/dev/null |
            grep -E '^(Thread|#)' | cut -c1-200 | head -n 600 >&2 || true
    fi
    say "its children:"
    pgrep -a -P "$runner" | cut -c1-200 >&2 || true
    kill -KILL "$runner"
    # `swift test` keeps back what was said last until it ends.
    while kill -0 "$1" 2>/dev/null; do sleep 0.1; done
    # Last, where whoever is shown the end alone finds them.
    say "these tests have begun and not ended:"
    unfinished_tests "$2" >&2
}

unfinished_tests() {
    sed -nE '/^◇ Test case /d; s/^◇ Test (.*) started\.$/+\1/p; s/^.*[✔✘] Test (.*) (passed|failed) after .*$/-\1/p' "$1" |
        awk '{ name = substr($0, 2); sub(/ with [0-9]+ test cases?$/, "", name) }
            /^\+/ { begun[name] = 1 } /^-/ { delete begun[name] }
            END { delete begun["run"]; for (name in begun) print "  " name }'
}
