#!/usr/bin/env bash
# Tests the web door of a gateway of its own, which it builds for release, by its OpenAPI document: schemathesis makes
# requests that fit the document and requests that do not, and judges what the door answers.
# Usage: scripts/test-web.sh [--no-install] [--long] [--seconds N] [--seed S]
#   --no-install  says which packages are missing and stops, even for root
#   --long        half an hour instead of 75 seconds
#   --seconds N   so long
#   --seed S      decides the requests; another one each time by default
# The status is 1 if anything does not hold; then all that was found is printed.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"
. "$root/scripts/lib/python.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
. "$root/scripts/lib/gateway.sh"

install=yes seconds=75 seed=$((RANDOM * 32768 + RANDOM))
while (($#)); do
    case $1 in
    --no-install) install=no && shift && continue ;;
    --long) seconds=1800 && shift && continue ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    --seconds | --seed) [[ ${2-} =~ ^[0-9]{1,9}$ ]] || fail "$1 needs a number" ;;
    *) fail "there is no option $1; see scripts/test-web.sh --help" ;;
    esac
    case $1 in
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
    esac
    shift 2
done

need_packages "$install" "${python_packages[@]}"
need_python "$install" "$root" WebFuzzer
need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}"
build_release "$root" parleyd ParleyBrokerPlugin parley parley-web

current='the web door'
scratch=$(mktemp -d)
gateway=
finish() {
    stop_gateway
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

parley() { "$binaries/parley" --data "$scratch/data" "$@"; }
# token UID: of a device of that user's.
token() { parley device add "$1" phone --print-token | sed -E 's/.*"password":"([^"]*)".*/\1/'; }

# The first start makes the directory; the settings, which the next one reads, are for a client that asks without pause,
# and let everybody make an account, with mails that become files and passwords that cost little.
ports=(--mqtt-port "$(free_port)" --web-port "$(free_port)")
start_gateway_and_door "$scratch/first.log" --data "$scratch/data" "${ports[@]}"
stop_gateway
cat >"$scratch/data/parleyd.json" <<'SETTINGS'
{"request_burst": 10000000, "requests_per_second": 1000000, "first_message_burst": 10000000,
"first_messages_per_hour": 10000000, "key_fetches_per_hour": 10000000, "reports_per_hour": 10000000,
"account_backups_per_hour": 10000000, "invites_per_hour": 10000000, "stranger_lookups_per_hour": 10000000,
"challenges_per_hour": 10000000, "activities_per_hour": 10000000, "activity_reactions_per_hour": 10000000,
"groups_per_user": 100, "publish_burst": 10000000, "publishes_per_second": 1000000, "subscribe_burst": 10000000,
"registration": "open", "mail_sink": "mails", "password_kibibytes": 8192, "password_passes": 1,
"account_attempts_per_network": 10000000, "account_attempts_per_account": 10000000, "account_mails_per_network": 10000000,
"account_mails_per_account": 10000000, "registrations_per_network": 10000000}
SETTINGS
chmod 644 "$scratch/data/parleyd.json"
start_gateway_and_door "$scratch/gateway.log" --data "$scratch/data" "${ports[@]}"
for user in alice bob; do parley user add "$user" --message-privacy anyone >/dev/null; done
alice=$(token alice) bob=$(token bob)
# What the requests may find: somebody's keys and a conversation.
for who in "$alice" "$bob"; do
    curl -sf -o /dev/null -H "Authorization: Bearer $who" "$web/api/v1/users/me/public-key" \
        --json '{"public_key":"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="}'
done
curl -sf -o /dev/null -H "Authorization: Bearer $bob" "$web/api/v1/conversations" \
    --json '{"type":"direct","participant_ids":["alice"]}'

# The token stands in no argument: schemathesis reads it from its configuration.
cat >"$scratch/schemathesis.toml" <<'CONFIGURATION'
headers = { Authorization = "Bearer ${PARLEY_TOKEN}" }
# Beside 400 and 415: 413 where a list has too many elements, 409 where a group would have too many members, 412 where the
# version of tus is missing.
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 412, 413, 415]
# These end the token that the requests are made with.
[[operations]]
include-operation-id = ["devices_revoke", "devices_renew"]
enabled = false
# Its body is bytes, of which schemathesis knows none of this type.
[[operations]]
include-operation-id = "blobs_append"
enabled = false
# The broker refuses them to a device, whatever is in them.
[[operations]]
include-tag = "admin"
enabled = false
CONFIGURATION
checks=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance
checks+=,response_schema_conformance,negative_data_rejection,unsupported_method,ignored_auth
say "seed $seed, $seconds s"
export PARLEY_TOKEN=$alice
# It leaves files where it stands.
cd "$scratch"
if ! "${python%/*}/schemathesis" --config-file "$scratch/schemathesis.toml" run "$web/api/v1/openapi.json" \
    --checks "$checks" --phases examples,coverage,fuzzing --max-time "$seconds" --continue-on-failure --seed "$seed" \
    --generation-database none --request-timeout 20 --warnings off --no-color >"$scratch/found" 2>&1; then
    cat "$scratch/found" >&2
    fail "the door and its document differ: scripts/test-web.sh --seconds $seconds --seed $seed tries the same again"
fi
# Whoever tests nothing finds nothing.
cases=$(sed -nE 's/^ +([0-9]+) generated.*/\1/p' "$scratch/found")
((${cases:-0} >= 500)) || { cat "$scratch/found" >&2 && fail "only ${cases:-0} requests were made"; }
[[ $(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $bob" "$web/api/v1/conversations") == 200 ]] ||
    fail "the door does not answer any more"
say "$cases requests: the door answers as its document says"
