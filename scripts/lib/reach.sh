# Sourced, after say.sh and build.sh. Lets the user of `owner_flags` reach directories that lie in one which is closed to that
# user, as those in root's home do, without opening it to anybody.

# as_owner COMMAND…: replaces this shell by the command, run by the owner of the data directory, in a session of its
# own. The kernel stops the command if this script ends without having done so.
as_owner() {
    umask 077
    exec setsid "${way_in[@]}" setpriv --pdeathsig TERM "${owner_flags[@]}" -- "$@"
}

# enter_as_owner DATA ROOT: finds the way for the owner of DATA, from which parleyd runs in it. The owner may not be let into
# what holds the directories that are needed: root's home, for one, which may hold the toolchain, too, and with it Swift's
# runtime.
enter_as_owner() {
    local data=$1 root=$2 runtime
    mapfile -t runtime < <(ldd "$binaries/parleyd" | sed -n 's#.* => \(/.*\)/libswift[^/]*\.so .*#\1#p' | sort -u)
    find_way_in "$data" "$binaries" "$root/broker-config" "${runtime[@]}"
    (as_owner test -r "$binaries/libParleyBrokerPlugin.so" -a -x "$binaries/parleyd" -a -w "$data") ||
        fail "$(stat -c %U "$data"), who runs the gateway, may not enter $root, where it was built, or $data"
}

# find_way_in DIRECTORY…: sets `way_in`, which stands before a command of that user's: it gives the command a mount
# namespace of its own, where each directory that is closed to it looks empty but for those named here.
find_way_in() {
    way_in=()
    ((${#owner_flags[@]})) || return 0
    local directory above
    local -A shown=()
    for directory; do
        above=$(closed_directory "$directory")
        [[ -z $above ]] || shown[$above]+=$directory$'\n'
    done
    ((${#shown[@]})) || return 0
    way_in=(unshare --mount --propagation private --)
    for above in "${!shown[@]}"; do
        mapfile -t directories <<<"${shown[$above]%$'\n'}"
        way_in+=(bash -euc "$(declare -f show_only); show_only \"\$@\"" show_only "$above" "${directories[@]}" --)
    done
}

# Prints the topmost directory above this one that the user may not enter; nothing if there is none.
closed_directory() {
    local path='' level levels
    IFS=/ read -r -d '' -a levels < <(printf '%s\0' "${1%/*}")
    for level in "${levels[@]}"; do
        [[ -n $level ]] || continue
        path+=/$level
        setpriv "${owner_flags[@]}" -- test -x "$path" || { printf '%s\n' "$path" && return; }
    done
}

# show_only CLOSED DIRECTORY… -- COMMAND…: replaces this shell by the command. To everybody in this mount namespace the
# directory CLOSED looks empty but for these directories in it.
show_only() {
    local closed=$1 directories=() opened=() descriptor index mask
    shift
    while [[ $1 != -- ]]; do
        exec {descriptor}<"$1"
        directories+=("$1") opened+=("$descriptor")
        shift
    done
    shift
    mask=$(umask)
    umask 022
    mount -t tmpfs -o nosuid,nodev,mode=755 parley "$closed"
    for index in "${!directories[@]}"; do
        mkdir -p "${directories[index]}"
        descriptor=${opened[index]}
        # As it was opened: its name leads into the empty directory now.
        mount --no-canonicalize --bind "/proc/self/fd/$descriptor" "${directories[index]}"
        exec {descriptor}<&-
    done
    umask "$mask"
    cd "$PWD"
    exec "$@"
}
