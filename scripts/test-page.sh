#!/usr/bin/env bash
# Tests the page, Sources/WebPage, in real browsers, Chromium and Firefox, at a gateway and a door of its own.
# Usage: scripts/test-page.sh [--no-install] [--short] [--browser NAME] [--only TEST] [--pictures] [--figures]
#   --no-install    says which packages are missing and stops, even for root; without a browser its part is skipped
#   --short         registering and a message each way, in Chromium
#   --browser NAME  chromium or firefox alone
#   --only TEST     a test, as unittest names it, such as test_flows.Flows.test_people_chat; may be repeated
#   --pictures      also makes the pictures of docs/web.md anew
#   --figures       measures instead, and prints a table: scripts/bench.sh page
# The status is 1 if anything does not hold. Without --pictures the tests write nothing into the tree.
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

install=yes short=no figures=no browsers='chromium firefox' tests=(test_units test_flows test_files test_push test_safety test_cards test_leaving test_worker) only=()
while (($#)); do
    case $1 in
    --no-install) install=no && shift && continue ;;
    --short) short=yes browsers=chromium && shift && continue ;;
    --figures) figures=yes && shift && continue ;;
    --pictures) export PARLEY_PICTURES=$root/docs/images && shift && continue ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    --browser) [[ ${2-} =~ ^(chromium|firefox)$ ]] || fail "--browser needs chromium or firefox" ;;
    --only) [[ ${2-} =~ ^test_[A-Za-z_.]+$ ]] || fail "--only needs a test; see --help" ;;
    *) fail "there is no option $1; see scripts/test-page.sh --help" ;;
    esac
    if [[ $1 == --only ]]; then only+=("$2"); else browsers=$2; fi
    shift 2
done
[[ $short == no ]] || tests=(test_flows.Flows.test_a_terminal_takes_part)
((${#only[@]} == 0)) || tests=("${only[@]}")

# Browsers are large packages: where one may not be installed, its part is skipped.
present=()
for browser in $browsers; do
    packages=(firefox-esr)
    [[ $browser != chromium ]] || packages=("${chromium_packages[@]}")
    mapfile -t missing < <(missing_packages "${packages[@]}")
    if ((${#missing[@]})) && [[ ${CI-} != true ]] && [[ $install == no || $EUID != 0 ]]; then
        say "SKIPPED $browser; it is installed by: sudo apt-get install -y ${missing[*]}"
        continue
    fi
    need_packages "$install" "${packages[@]}"
    present+=("$browser")
done
((${#present[@]})) || { say "SKIPPED all of it: there is no browser" && exit 0; }
browsers=${present[*]}
# The short form reads no QR code.
[[ $short == yes ]] || need_packages "$install" "${page_packages[@]}"
[[ -z ${PARLEY_PICTURES-} ]] || need_packages "$install" fonts-noto-color-emoji
need_python "$install" "$root" WebPage
need_swift
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}"
build_release "$root" parleyd ParleyBrokerPlugin parley parley-web

scratch=$(mktemp -d)
gateway=
finish() {
    stop_gateway
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The first start makes the directory. The settings, which the next one reads, let many people register from one address,
# with passwords that cost little.
ports=(--mqtt-port "$(free_port)" --web-port "$(free_port)")
start_gateway_and_door "$scratch/first.log" --data "$scratch/data" "${ports[@]}"
stop_gateway
# Figures are of the page, and not of how fast a device may write.
limits=
[[ $figures == no ]] || limits=', "request_burst": 10000, "requests_per_second": 10000, "publishes_per_second": 10000'
cat >"$scratch/data/parleyd.json" <<SETTINGS
{"registration": "open", "mail_sink": "mails", "password_kibibytes": 8192, "password_passes": 1,
"account_attempts_per_network": 10000, "account_mails_per_network": 10000, "registrations_per_network": 10000,
"presence_hold_ms": 0, "push_allow_private_endpoints": true, "push_always": true$limits}
SETTINGS
chmod 644 "$scratch/data/parleyd.json"
start_gateway_and_door "$scratch/gateway.log" --data "$scratch/data" "${ports[@]}"

cd "$root/Tests/Interop/WebPage"
export PYTHONDONTWRITEBYTECODE=1 TMPDIR=$scratch
export PARLEY_WEB=$web PARLEY_DATA=$scratch/data PARLEY_BINARIES=$binaries PARLEY_BROWSERS=$browsers
if [[ $figures == yes ]]; then
    "$python" figures.py
    exit
fi
"$python" -m unittest --verbose "${tests[@]}" || fail "the page does not do what it must"
say "all holds in: $browsers"
