# Sourced by run-cells.sh, after the other libraries. Several gateways on one machine: what is in their directory, and how
# each program of theirs is started.
#
# The caller sets `data`, `port`, `count`, `root`, and `binaries`. Of these files all belong to one user:
#   cell-N/       the data directory of a cell, as of a gateway by itself
#   postgresql/   the database: `data`, and `run` with its socket, which nobody else may enter
#   mails/        what is mailed, as files
#   haproxy.cfg, haproxy.sock   HAProxy's configuration, and the socket that takes its commands

longest_socket=postgresql/run/.s.PGSQL.5432

# prepare_cell N: makes the data directory of a cell. A token that one cell has made is good at every other: all have the keys
# of the first. And all say that devices come by HAProxy.
prepare_cell() {
    local directory=$data/cell-$1
    if (($1 > 1)); then
        (as_owner bash -c 'mkdir -p "$2/keys" && cp -n "$1"/keys/* "$2/keys/"' bash "$data/cell-1" "$directory") ||
            fail "no keys could be copied to $directory"
    fi
    (as_owner "$binaries/parleyd" init --development --data "$directory" --mqtt-port $((port + $1)) \
        --plugin "$binaries/libParleyBrokerPlugin.so" --template "$root/broker-config/development.conf") >&2 </dev/null ||
        fail "parleyd could not prepare $directory"
    (as_owner sed -i "s/\"mqtt_port\":[0-9]*/\"mqtt_port\":$port/" "$directory/endpoint.json") ||
        fail "$directory/endpoint.json cannot be written"
    # Whichever cell sends a mail, it becomes a file in one place.
    (as_owner sed -i 's/"mail_sink":"mails"/"mail_sink":"..\/mails"/' "$directory/parleyd.json") ||
        fail "$directory/parleyd.json cannot be written"
}

# Makes the database. Whoever is the owner on this machine is so in it, and comes by the socket alone, without a password.
prepare_postgresql() {
    local home=$data/postgresql
    owner_name=$(stat -c %U "$data")
    if [[ -f $home/data/PG_VERSION ]]; then
        postgresql=/usr/lib/postgresql/$(<"$home/data/PG_VERSION")/bin
        [[ -x $postgresql/postgres ]] || fail "there is no ${postgresql%/bin}, whose version the database in $home has"
        return
    fi
    postgresql=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort --version-sort | tail -n 1)
    say "making the database in $home"
    # Under another name until it is whole.
    (as_owner bash -euc '
        rm -rf "$2/new" && mkdir -p "$2/run"
        "$1/initdb" -D "$2/new" -U "$3" --auth-local=peer --auth-host=reject -E UTF8 --no-locale >"$2/log" 2>&1
        echo "CREATE DATABASE parley" | "$1/postgres" --single -D "$2/new" postgres >>"$2/log" 2>&1
        mv "$2/new" "$2/data" && rm "$2/log"' bash "$postgresql" "$home" "$owner_name") </dev/null ||
        fail "PostgreSQL could not make a database: $(tail -n 5 "$home/log" 2>/dev/null)"
}

# By the template of production, with a server for each cell. On loopback without TLS, as a gateway by itself that is tried
# out, and without limits by address, since everybody has the same one.
write_haproxy_configuration() {
    local servers='' cell
    for ((cell = 1; cell <= count; cell++)); do
        servers+="    server cell-$cell 127.0.0.1:$((port + cell)) check\\n"
    done
    sed -e '/^    \(chroot\|user\|group\|bind ipv6@\|tcp-request connection reject\) */d' \
        -e "s#^    bind .*#    bind 127.0.0.1:$port tcp-ut 30s#" \
        -e "s#^global\$#global\\n    stats socket '${data//[#&\\]/\\&}/haproxy.sock' mode 600 level admin#" \
        -e "s#^    server .*#${servers%\\n}#" \
        "$root/broker-config/haproxy.cfg" | (as_owner tee "$data/haproxy.cfg") >/dev/null &&
        (as_owner haproxy -c -q -f "$data/haproxy.cfg") >&2 || fail "HAProxy does not take $data/haproxy.cfg"
}

# The database's address; what stands in a path is encoded as in any URI.
store_address() {
    local LC_ALL=C path=$data/postgresql/run encoded='' index character
    for ((index = 0; index < ${#path}; index++)); do
        character=${path:index:1}
        case $character in
        [a-zA-Z0-9/._-]) encoded+=$character ;;
        *) printf -v character '%%%02X' "'$character" && encoded+=%${character: -2} ;;
        esac
    done
    printf 'postgres://%s@/parley?host=%s' "$owner_name" "$encoded"
}

# tagged NAME COMMAND…: runs the command in the place of this shell; its lines get the name before them. What does that does
# not hear the terminal's Ctrl-C, or the last lines would be lost.
tagged() {
    local name=$1
    shift
    "$@" > >(trap '' INT HUP TERM && exec sed -u "s/^<[0-9]>//; s/^/$name | /") 2>&1
}

launch() {
    local directory=$data/cell-${1##*-}
    case $1 in
    postgresql)
        # Without its tidings; what PostgreSQL refuses to do is for parleyd to say.
        tagged "$1" as_owner "$postgresql/postgres" -D "$data/postgresql/data" -k "$data/postgresql/run" \
            -c listen_addresses= -c port=5432 -c unix_socket_permissions=0700 -c log_min_messages=fatal \
            -c log_line_prefix= -c max_connections=$((20 + 20 * count))
        ;;
    mosquitto-*) cd "$directory" && tagged "$1" log_broker "$directory" as_owner mosquitto -c "$directory/mosquitto.conf" ;;
    parleyd-*)
        # A port of its own for probes: at first 9895 and so on.
        local probe_port=$((port + 8001 + ${1##*-}))
        ((probe_port <= 65535)) || probe_port=0
        tagged "$1" as_owner env "PARLEY_SETTING_PROBE_PORT=$probe_port" "$binaries/parleyd" run --data "$directory" --store "$(store_address)" \
            --cell "cell-${1##*-}"
        ;;
    haproxy) tagged "$1" as_owner haproxy -db -f "$data/haproxy.cfg" ;;
    esac
}

clear_for() { [[ $1 != mosquitto-* ]] || rm -f "$data/cell-${1##*-}/run/broker.sock"; }

looks_ready() {
    local lines
    case $1 in
    postgresql)
        mapfile -t lines <"$data/postgresql/data/postmaster.pid" && [[ ${lines[7]-} == ready* ]]
        ;;
    mosquitto-*) [[ -S $data/cell-${1##*-}/run/broker.sock ]] ;;
    parleyd-*) false ;;
    haproxy) port_taken "$port" ;;
    esac 2>/dev/null
}

find_ready() {
    name=
    [[ $1 != 'parleyd-'*' | parley: ready'* ]] || name=${1%% | *}
}
