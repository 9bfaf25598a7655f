#!/usr/bin/env bash
# Checks docs/monitoring with promtool, of Debian's package prometheus: the alert rules, what they say to made-up series, the
# queries of the dashboard's panels, and what a gateway and a web door of this script's own expose. Every metric that a rule
# or a panel names is exposed. Wants a release build, or the programs in the folder PARLEY_PRODUCTS.
# Usage: scripts/test-monitoring.sh [--no-install]
#   --no-install  says which packages are missing and stops, even for root
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
PATH=$PATH:/usr/sbin

install=yes
case ${1-} in
"") ;;
--no-install) install=no ;;
-h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
*) fail "there is no option $1; see scripts/test-monitoring.sh --help" ;;
esac
need_packages "$install" "${run_packages[@]}" "${test_packages[@]}" "${monitoring_packages[@]}"

binaries=${PARLEY_PRODUCTS:-$root/.build/release}
scratch=$(mktemp -d)
data=$scratch/data children=() current=monitoring
trap finish EXIT

finish() {
    local status=$? index
    for ((index = ${#children[@]} - 1; index >= 0; index--)); do
        kill -TERM "${children[index]}" 2>/dev/null || true
        wait "${children[index]}" 2>/dev/null || true
    done
    ((status == 0)) || tail -n 30 "$scratch"/*.log >&2 || true
    rm -rf "$scratch"
    exit "$status"
}

# start LOG COMMAND…
start() {
    "${@:2}" >"$scratch/$1.log" 2>&1 &
    children+=($!)
}

# families FILE: the names of the metrics that it exposes.
families() { awk '$1 == "#" && $2 == "TYPE" { print $3 }' "$1"; }

# named FILE: the names of metrics that it uses, without what a histogram adds.
named() { grep -oE '\b(parley|process)_[a-z_]+' "$1" | sed -E 's/_(bucket|sum|count)$//' | sort -u; }

cd "$root/docs/monitoring"
promtool check rules alerts.yml >"$scratch/rules.log" 2>&1 || fail "the rules have mistakes"
promtool test rules alerts-test.yml >"$scratch/tested.log" 2>&1 || fail "the rules say something else to made-up series"
jq -e '.panels | length > 0 and all(.targets | length > 0)' dashboard.json >/dev/null || fail "the dashboard has an empty panel"
# promtool knows no dashboards: each expression of a panel becomes a rule that records it. JSON is YAML too.
jq '{groups: [{name: "dashboard", rules: [.panels | to_entries[] | .key as $panel | .value.targets | to_entries[] |
    {record: "panel:\($panel):\(.key)",
     expr: .value.expr | gsub("\\$__rate_interval|\\$__interval"; "5m") | gsub("\\$instance"; ".*")}]}]}' \
    dashboard.json >"$scratch/dashboard-rules.yml"
! grep -nF '$' "$scratch/dashboard-rules.yml" >&2 || fail "the dashboard has a variable that this script does not know"
promtool check rules "$scratch/dashboard-rules.yml" >"$scratch/dashboard.log" 2>&1 || fail "a panel of the dashboard has a mistake"
say "the rules and the dashboard's panels are sound, and the rules say what they should to made-up series"

mqtt_port=$(free_port) probe_port=$(free_port) web_port=$(free_port) metrics_port=$(free_port)
"$binaries/parleyd" init --data "$data" --mqtt-port "$mqtt_port" --plugin "$binaries/libParleyBrokerPlugin.so" \
    --template "$root/broker-config/development.conf"
printf '{"probe_port":%d}\n' "$probe_port" >"$data/parleyd.json"
start broker sh -c 'cd "$0" && exec mosquitto -c mosquitto.conf' "$data"
start parleyd "$binaries/parleyd" run --data "$data"
start web "$binaries/parley-web" --port "$web_port" --broker "127.0.0.1:$mqtt_port" --metrics-port "$metrics_port"
answers() { curl -sf -o /dev/null "http://127.0.0.1:$1/readyz"; }
until_true 120 answers "$probe_port"
until_true 120 answers "$metrics_port"
"$binaries/parley" --data "$data" user add alice >/dev/null
curl -s -o /dev/null "http://127.0.0.1:$web_port/v1/gateway/info" || true

curl -sf "http://127.0.0.1:$probe_port/metrics" >"$scratch/gateway.txt"
curl -sf "http://127.0.0.1:$metrics_port/metrics" >"$scratch/door.txt"
for text in gateway door; do
    promtool check metrics <"$scratch/$text.txt" >"$scratch/check-$text.log" 2>&1 ||
        fail "promtool has something to say of the metrics of the $text"
done
cat "$scratch/gateway.txt" "$scratch/door.txt" >"$scratch/all.txt"
families "$scratch/all.txt" | sort >"$scratch/exposed"
for file in alerts.yml dashboard.json; do
    unexposed=$(named "$file" | comm -23 - "$scratch/exposed")
    [[ -z $unexposed ]] || fail "$file names what nothing exposes: $unexposed"
done
grep -q '^parley_requests_total{operation="admin/add-user",outcome="accepted"} 1$' "$scratch/gateway.txt" ||
    fail "a user was added, and the gateway has not counted it"
say "what is exposed is in the format of Prometheus, and has every metric that a rule or a panel names"
