#!/usr/bin/env bash
# Has the project's own tool chat, through a gateway of its own, with a client that shares no code with it: in Python,
# with other libraries for MQTT and for the ciphers (Tests/Interop/PythonDevice). Then two chats of the tool write to
# each other while the gateway, and one of them, are killed, the client that docs/python shows chats with the tool, and
# docs/asyncapi.yaml and docs/vectors are held to what is sent and sealed.
# Usage: scripts/test-interop.sh [--no-install]
#   --no-install  says which packages are missing and stops, even for root
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
. "$root/scripts/lib/python.sh"
. "$root/scripts/lib/gateway.sh"

install=yes
case ${1-} in
"") ;;
--no-install) install=no ;;
-h | --help) sed -n '2,7s/^# //p' "$0" && exit ;;
*) fail "there is no option $1; see scripts/test-interop.sh --help" ;;
esac

need_python "$install" "$root"
scratch=$(mktemp -d)
gateway=
finish() {
    local status=$?
    stop_gateway
    ((status == 0)) || tail -n 20 "$scratch/gateway.log" >&2 || true
    rm -rf "$scratch"
}
trap finish EXIT

start_gateway "$scratch/gateway.log" --data "$scratch/data" --mqtt-port "$(free_port)" --web-port "$(free_port)"
cd "$root/Tests/Interop/PythonDevice"
export PARLEY_DATA=$scratch/data PARLEY_TOOL=${PARLEY_PRODUCTS:-$root/.build/release}/parley PARLEY_RUN=$gateway PYTHONDONTWRITEBYTECODE=1
"$python" chat.py
"$python" linking.py
"$python" recovery.py
"$python" documented.py
"$python" vectors.py
"$python" asyncapi.py
"$python" conformance.py
