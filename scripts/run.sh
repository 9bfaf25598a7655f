#!/usr/bin/env bash
# Builds and runs a whole gateway: Mosquitto with Parley's plugin, parleyd, and the web door, parley-web.
# Usage: scripts/run.sh [--data DIR] [--mqtt-port N] [--web-port N] [--log-format F] [--no-install] [--allow-root]
#   --data DIR     everything that the gateway keeps; made on the first start (default: ./data)
#   --mqtt-port N  MQTT on 127.0.0.1 (default: what DIR is configured for, at first 1893)
#   --web-port N   HTTP, WebSockets and MQTT over WebSocket on 127.0.0.1 (default: what DIR is configured for, at first
#                  9893); --ws-port is the same
#   --log-format F text or json: the form in which broker, gateway, door and this script log (default: the setting log_format)
#   --no-install   says which packages are missing and stops, even for root
#   --allow-root   root runs the gateway in a directory of its own as root; without, as the user parley, which it makes
# Started by root in a directory of another user's, the gateway runs as that user.
# Standard output gets one line, which begins `parley: ready`, when devices can sign in, and one that begins
# `parley-web: ready`, with its address, when the web door is there, which serves the page (Sources/WebPage) at /; all else
# goes to standard error. At the first start the door is built after the gateway is ready, and so is the command-line tool, scripts/parley. SIGINT or SIGTERM stops the gateway and then the
# broker, and ends this with status 0; a second one hurries. What cannot be started or kept up ends it with status 1 and
# the reason.
# A shell that starts this in the background lets it ignore SIGINT, and bash cannot trap what was ignored from the start.
if (((16#$(sed -n "s/^SigIgn:\t//p" /proc/$$/status) >> 1) & 1)); then exec env --default-signal=INT "$0" "$@"; fi

root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/data-directory.sh"
. "$root/scripts/lib/reach.sh"
. "$root/scripts/lib/supervise.sh"

data=./data mqtt_port='' web_port='' install=yes allow_root=no form=''
while (($#)); do
    case $1 in
    --help | -h) sed -n '2,/^# A shell that/{/^# A shell that/!s/^# //p}' "$0" && exit ;;
    --no-install) install=no && shift && continue ;;
    --allow-root) allow_root=yes && shift && continue ;;
    --data | --mqtt-port | --web-port | --ws-port | --log-format) [[ -n ${2-} ]] || fail "$1 needs a value" ;;
    *) fail "there is no option $1; see scripts/run.sh --help" ;;
    esac
    case $1 in
    --data) data=$2 ;;
    --mqtt-port) mqtt_port=$2 ;;
    --web-port | --ws-port) web_port=$2 ;;
    --log-format) form=$2 ;;
    esac
    shift 2
done
[[ $form =~ ^(text|json)?$ ]] || fail "--log-format takes text or json, not «$form»"
data=$(realpath -m -- "$data")
broker_socket=$data/run/broker.sock

# The broker is in /usr/sbin, which only root has in PATH.
PATH=$PATH:/usr/sbin

# Nothing runs yet that would need to be stopped in order.
trap 'stop_build; say "stopped before the gateway was started"; exit 0' INT TERM HUP

need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}"
take_data_directory "$data" "$allow_root"
mqtt_port=${mqtt_port:-$(configured_port mqtt_port "$data/endpoint.json")}
web_port=${web_port:-$(configured_port web_port "$data/endpoint.json")}
need_port --mqtt-port "${mqtt_port:=1893}"
need_port --web-port "${web_port:=9893}"
[[ $mqtt_port != "$web_port" ]] || fail "--mqtt-port and --web-port must differ"
# What only the door needs is neither fetched nor built before the gateway is ready. Once it is there, both begin together.
is_door_built=yes
door=$root/.build/release/parley-web
if [[ -z ${PARLEY_PRODUCTS-} && ! -x $door ]]; then
    is_door_built=no
    export PARLEY_GATEWAY_ALONE=yes
fi
build_release "$root" parleyd ParleyBrokerPlugin
[[ $is_door_built == no ]] || build_release "$root" parley-web
plugin=$binaries/libParleyBrokerPlugin.so

enter_as_owner "$data" "$root"
allowances=()
[[ $allow_root == no ]] || allowances=(--allow-root)
(as_owner "$binaries/parleyd" init --data "$data" --mqtt-port "$mqtt_port" --web-port "$web_port" \
    --plugin "$plugin" --template "$root/broker-config/development.conf" --development "${allowances[@]}") >&2 </dev/null ||
    fail "parleyd could not prepare $data"

# Of the gateway's settings the door and this script know this one.
form=${form:-${PARLEY_SETTING_LOG_FORMAT-}}
form=${form:-$(as_owner sed -nE '/.*"log_format"\s*:\s*"(text|json)".*/{s//\1/p;q}' "$data/parleyd.json")}
[[ $form =~ ^(text|json)$ ]] || form=text
log_format=$form log_options=(--log-format "$form")

launch() {
    case $1 in
    # The template's path of the gateway's socket is relative to the directory that the broker is started in.
    mosquitto) cd "$data" && log_broker "$data" as_owner mosquitto -c "$data/mosquitto.conf" ;;
    parleyd) as_owner "$binaries/parleyd" run --data "$data" "${log_options[@]}" ;;
    # The credentials by which the door signs people in are parleyd's to make.
    parley-web)
        cd "$data" && as_owner "$binaries/parley-web" --port "$web_port" --broker "127.0.0.1:$mqtt_port" \
            --accounts devices/web/door/credentials.json --accounts-socket run/broker.sock --blobs blobs \
            --page "$root/Sources/WebPage" "${log_options[@]}"
        ;;
    esac
}
clear_for() { [[ $1 != mosquitto ]] || rm -f "$broker_socket"; }
looks_ready() { [[ $1 == mosquitto && -S $broker_socket ]]; }
find_ready() {
    case $1 in
    'parley: ready'*) name=parleyd ;;
    'parley-web: ready'*) name=parley-web ;;
    *) name= ;;
    esac
}

# A gateway needs neither the tool nor the door to be up. The gateway, and whoever uses it, comes first.
later_build=
once_ready() {
    [[ -z $2 ]] || print_line "$2"
    [[ $1 != parley-web ]] || log notice "open http://127.0.0.1:$web_port/"
    [[ $1 == parleyd ]] || return 0
    [[ $is_door_built == no ]] || begin parley-web
    (
        trap 'stop_build; exit 1' TERM
        exec 2> >(log_build)
        renice -n 10 -p "$BASHPID" >/dev/null
        build_release "$root" parley
        say "scripts/parley is built"
        [[ $is_door_built == no ]] || exit 0
        unset PARLEY_GATEWAY_ALONE
        build_release "$root" parley-web
        announce_built parley-web
    ) </dev/null &
    later_build=$!
}

raise_descriptors
programs=(mosquitto parleyd)
dispensable=(parley-web)
supervise
status=$?
[[ -z $later_build ]] || { kill "$later_build" && wait "$later_build"; } 2>/dev/null
((status != 0)) || log notice stopped
exit "$status"
