# Sourced, after say.sh. The directory that holds everything one gateway keeps, or several of one machine.

# The user that runs the gateway where root starts it in a directory of its own.
service_user=parley

# take_data_directory DIR ALLOW_ROOT [MARK SOCKET]: makes DIR if it is not there, and takes it for this script and its
# children alone. Sets `owner_flags`, by which setpriv becomes the owner of DIR if this script runs as another, which is to
# say as root. An empty DIR of root's is given to the service user, unless ALLOW_ROOT is `yes`; `never` where nothing of it can
# run as root. MARK is what is first made in DIR, SOCKET the longest path of a Unix socket in it.
take_data_directory() {
    local data=$1 allow_root=$2 mark=${3-keys} owner group
    local LC_ALL=C socket=$data/${4-run/broker.sock} otherwise=', or say --allow-root'
    [[ $allow_root != never ]] || otherwise=
    ((${#socket} <= 107)) ||
        fail "the path $data is too long: a socket's path may have 107 bytes, and $socket has ${#socket}"
    [[ $data != *$'\n'* ]] || fail "the path of the data directory must not have a line break in it"

    [[ ! -e $data || -d $data ]] || fail "$data is not a directory"
    (umask 077 && mkdir -p "$data") || fail "the data directory $data cannot be made"
    # An earlier version left run.lock before anything else.
    [[ -d $data/$mark || -e $data/run.lock || -z $(ls -A "$data") ]] ||
        fail "$data has something else in it: name an empty directory, or one that does not exist"

    # From here on it is the directory that was opened, whatever its owner puts in the place of its name. It is itself what is
    # locked, so that root neither makes a file in it nor follows a link. The children inherit the lock: if this script is
    # killed, it ends with the last of them. They have then been told to stop, and are given time to.
    exec {lock}<"$data" || fail "the data directory $data cannot be opened"
    local opened=/proc/$BASHPID/fd/$lock
    read -r owner group < <(stat -L -c '%u %g' "$opened")
    ((EUID == 0 || EUID == owner)) ||
        fail "$data belongs to $(stat -L -c %U "$opened"): only that user and root can run this gateway"
    [[ -w $opened && -x $opened ]] || fail "nothing can be written in $data"
    flock --wait 3 "$lock" || fail "the data directory $data is in use by another run of the gateway"

    if ((owner == 0)) && [[ $allow_root != yes ]]; then
        [[ -z $(ls -A "$opened/") ]] ||
            fail "$data belongs to root, and the broker is not to run as root: \
give the directory to another user (chown -R)$otherwise"
        # A name that leads elsewhere by now is not the directory that was asked for.
        [[ $(readlink "$opened") == "$data" ]] || fail "the data directory $data was replaced while it was opened"
        need_service_user
        chown "$service_user:" "$opened/." || fail "$data cannot be given to the user $service_user"
        read -r owner group < <(stat -L -c '%u %g' "$opened")
    fi
    owner_flags=()
    if ((EUID != owner)); then
        owner_flags=(--reuid="$owner" --regid="$group" --clear-groups)
    fi
    setpriv "${owner_flags[@]}" -- chmod 700 "/proc/self/fd/$lock" || fail "$data cannot be made private"
}

# Makes the service user if it is not there.
need_service_user() {
    ! id "$service_user" >/dev/null 2>&1 || return 0
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$service_user" ||
        fail "the user $service_user, who is to run the gateway, cannot be made; --allow-root runs it as root"
    say "made the user $service_user, who runs the gateway"
}
