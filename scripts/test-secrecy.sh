#!/usr/bin/env bash
# Sends marker texts through a gateway, sealed as devices seal them, and looks for them in everything that the gateway
# and its broker keep, log, publish or hold in memory. Everything is logged that can be.
# Usage: scripts/test-secrecy.sh [--no-install] [--markers N] [--by-tool N]
#   --no-install  says which packages are missing and stops, even for root
#   --markers N   how many (default: 10000)
#   --by-tool N   how many of them `parley send` seals and sends, a process each (default: 30)
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
. "$root/scripts/lib/python.sh"

install=yes markers=10000 by_tool=30
while (($#)); do
    case $1 in
    --no-install) install=no && shift && continue ;;
    --markers | --by-tool) [[ ${2-} =~ ^[0-9]{1,7}$ ]] || fail "$1 needs a number" ;;
    -h | --help) sed -n '2,7s/^# //p' "$0" && exit ;;
    *) fail "there is no option $1; see scripts/test-secrecy.sh --help" ;;
    esac
    case $1 in
    --markers) markers=$2 ;;
    --by-tool) by_tool=$2 ;;
    esac
    shift 2
done
PATH=$PATH:/usr/sbin

need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}"
need_python "$install" "$root"
build_release "$root" parleyd parley ParleyBrokerPlugin

scratch=$(mktemp -d)
data=$scratch/data logs=$scratch/logs
mkdir -m 700 "$data" "$logs"
current=secrecy broker='' parleyd=''
finish() {
    local status=$? process
    for process in "$parleyd" "$broker"; do
        [[ -z $process ]] || { kill -TERM "$process" && wait "$process"; } 2>/dev/null || true
    done
    ((status == 0)) || tail -n 5 "$logs"/* >&2 || true
    rm -rf "$scratch"
}
trap finish EXIT

"$binaries/parleyd" init --data "$data" --mqtt-port "$(free_port)" \
    --plugin "$binaries/libParleyBrokerPlugin.so" --template "$root/broker-config/development.conf" >&2
cat >"$data/parleyd.json" <<'SETTINGS'
{"request_burst": 1000000, "requests_per_second": 1000000, "first_message_burst": 1000000,
"stranger_lookups_per_hour": 1000000, "publish_burst": 1000000, "publishes_per_second": 1000000, "publish_burst_bytes": 1099511627776,
"publish_bytes_per_second": 1099511627776, "subscribe_burst": 1000000, "connection_names_per_day": 1000}
SETTINGS
# `-v`: everything that it can log.
(cd "$data" && exec mosquitto -v -c mosquitto.conf) >"$logs/mosquitto.log" 2>&1 &
broker=$!
until_true 60 test -S "$data/run/broker.sock"
"$binaries/parleyd" run --data "$data" --log-level debug >"$logs/parleyd.out" 2>"$logs/parleyd.log" &
parleyd=$!
until_true 60 grep -q '^parley: ready' "$logs/parleyd.out"

cd "$root/Tests/Interop/PythonDevice"
PYTHONDONTWRITEBYTECODE=1 "$python" secrecy.py --data "$data" --logs "$logs" --tool "$binaries/parley" \
    --parleyd "$parleyd" --mosquitto "$broker" --markers "$markers" --by-tool "$by_tool"
