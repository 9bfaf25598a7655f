# Sourced, after say.sh. TCP ports on loopback.

# Whether something listens where a broker on 127.0.0.1 would. The kernel is asked: connecting would show up in the
# logs of whoever listens there.
port_taken() {
    local address state port
    printf -v port '%04X' "$1"
    while read -r _ address _ state _; do
        [[ $state == 0A && ${address#*:} == "$port" ]] || continue
        case ${address%:*} in
        00000000 | 0100007F | 0000000000000000FFFF00000100007F) return 0 ;;
        # An IPv6 listener on every address takes the port for IPv4 too, unless it said that it does not want to.
        00000000000000000000000000000000) ! (exec {probe}<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0 ;;
        esac
    done < <(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)
    return 1
}

# need_port OPTION PORT: ends the script unless PORT is a number of a port that nobody listens on.
need_port() {
    [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] && (($2 <= 65535)) || fail "$1 takes a port from 1 to 65535, not «$2»"
    ! port_taken "$2" || fail "port $2 is taken by another program: choose another with $1"
}

# configured_port NAME FILE: the port of this name in an endpoint.json; nothing if there is no such file or port.
configured_port() { [[ ! -f $2 ]] || sed -nE "s/.*\"$1\":([0-9]+).*/\1/p" "$2"; }
