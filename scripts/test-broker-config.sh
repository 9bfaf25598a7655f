#!/usr/bin/env bash
# Starts a real broker with each template of broker-config and the real plugin, as this user and, if this is root, as an
# unprivileged one too, and sees that it listens where and how the template says. Then the whole of a production gateway:
# broker, parleyd, and HAProxy before them with a certificate made on the spot; `parley` works through it, and strangers
# (Tests/Adversaries/Door) are kept out. Wants a release build, or the programs in the folder PARLEY_PRODUCTS.
# Usage: scripts/test-broker-config.sh [--no-install]
#   --no-install  says which packages are missing and stops, even for root
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
. "$root/scripts/lib/door.sh"
PATH=$PATH:/usr/sbin

install=yes
case ${1-} in
"") ;;
--no-install) install=no ;;
-h | --help) sed -n '2,7s/^# //p' "$0" && exit ;;
*) fail "there is no option $1; see scripts/test-broker-config.sh --help" ;;
esac
need_packages "$install" "${run_packages[@]}" "${test_packages[@]}" "${door_packages[@]}"

# Not below a home directory, which an unprivileged user might not enter.
scratch=$(mktemp -d)
binaries=${PARLEY_PRODUCTS:-$root/.build/release}
broker='' children=()
chmod 711 "$scratch"
cp "$binaries/libParleyBrokerPlugin.so" "$scratch/plugin.so"
chmod 644 "$scratch/plugin.so"

finish() {
    local status=$?
    end_children
    stop_broker || status=1
    ((status == 0)) || tail -n 30 "$scratch"/*.log >&2
    rm -rf "$scratch"
    exit "$status"
}
trap finish EXIT

# end_children: ends what was started beside the broker, last first.
end_children() {
    local index
    for ((index = ${#children[@]} - 1; index >= 0; index--)); do
        kill -TERM "${children[index]}" 2>/dev/null || true
        wait "${children[index]}" 2>/dev/null || true
    done
    children=()
}

# start_broker TEMPLATE USER LAUNCHER…: makes $data for USER and starts the broker in it, by the launcher if there is one.
start_broker() {
    local template=$1 user=$2 conf door=()
    shift 2
    current="$template as $user${*:+ from the start}" data=$scratch/$template-$user${*:+-itself}
    mqtt_port=$(free_port)
    until door_port=$(free_port) && [[ $door_port != "$mqtt_port" ]]; do :; done
    if [[ $template == production ]]; then
        door=(--door "$root/broker-config/haproxy.cfg" --host localhost --door-port "$door_port"
            --cert "$scratch/both.pem" --ca "$scratch/cert.pem")
    fi

    "$binaries/parleyd" init --data "$data" --mqtt-port "$mqtt_port" \
        --plugin "$scratch/plugin.so" --template "$root/broker-config/$template.conf" "${door[@]}"
    conf=$data/mosquitto.conf
    sed -i "s#^user .*#user $user#" "$conf"
    chown -R "$user:" "$data"

    (cd "$data" && exec "$@" mosquitto -c "$conf") >"$data.log" 2>&1 &
    broker=$!
    until_true 30 listening_or_gone
    [[ -S $data/run/broker.sock ]] || fail "$current: the broker does not start"
    [[ $(stat -c %U "$data/run/broker.sock") == "$user" ]] || fail "$current: the broker is another user"
}

listening_or_gone() { [[ -S $data/run/broker.sock ]] || ! kill -0 "$broker" 2>/dev/null; }

stop_broker() {
    [[ -n $broker ]] || return 0
    kill -TERM "$broker" 2>/dev/null || true
    wait "$broker" || fail "$current: the broker ended with status $?"
    broker=
}

# Addresses in /proc's notation on which something listens at a port.
addresses() {
    local port
    printf -v port '%04X' "$1"
    awk -v port=":$port" '$4 == "0A" && substr($2, length($2) - 4) == port { print substr($2, 1, length($2) - 5) }' \
        /proc/net/tcp /proc/net/tcp6 | paste -sd' '
}

# Nobody comes in without a token, not even by the Unix socket.
refuses_strangers() {
    ! mosquitto_pub -V 5 -i stranger -t x -n "$@" 2>/dev/null || fail "$current: a stranger has come in: $*"
}

check_development() {
    [[ $(addresses "$mqtt_port") == 0100007F ]] || fail "$current: port $mqtt_port is on $(addresses "$mqtt_port")"
    refuses_strangers -h 127.0.0.1 -p "$mqtt_port"
    (cd "$data" && refuses_strangers --unix run/broker.sock)
}

check_production() {
    [[ $(addresses "$mqtt_port") == 0100007F ]] || fail "$current: port $mqtt_port is on $(addresses "$mqtt_port")"
    refuses_strangers -h 127.0.0.1 -p "$mqtt_port"
    refuses_strangers --unix "$data/run/broker.sock"
}

check_all() {
    local template
    for template in development production; do
        start_broker "$template" "$@"
        "check_$template"
        stop_broker
        say "$current: started, checked and stopped"
    done
}

make_certificate
check_all "$(id -un)"
if ((EUID == 0)); then
    # The broker becomes the user by itself, or has never been root.
    check_all nobody
    check_all nobody setpriv --reuid=nobody --regid=nogroup --clear-groups --
fi
rm -rf "$scratch/production-$(id -un)"
start_broker production "$(id -un)"
check_door
end_children
stop_broker
