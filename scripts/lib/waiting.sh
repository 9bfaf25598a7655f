# Sourced, after say.sh and ports.sh, by tests that talk to running programs.

# until_true SECONDS COMMAND…: waits for a condition. Nothing is decided by how long it takes, short of the limit.
# The caller's `current` says what is being tested.
until_true() {
    local limit=$((SECONDS + $1 + 1)) what="${*:2}"
    shift
    until "$@"; do
        ((SECONDS < limit)) || fail "$current: waited in vain for: $what"
        read -r -t 0.02 <> <(:) || true
    done
}

free_port() {
    local port
    until port=$((RANDOM % 20000 + 10000)) && ! port_taken "$port"; do :; done
    echo "$port"
}

# free_ports N: leaves a free port in `port`, and so many behind it are free too.
free_ports() {
    local index
    while port=$(free_port); do
        for ((index = 1; index <= $1; index++)); do ! port_taken $((port + index)) || continue 2; done
        return
    done
}
