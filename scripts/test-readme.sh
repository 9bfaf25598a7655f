#!/usr/bin/env bash
# Runs the transcripts of pages, each against a gateway and a web door of its own, and compares what each command prints:
# what stands on a terminal, so that `parley` is called with --text where the page does not redirect it.
# Usage: scripts/test-readme.sh [--site cells|haproxy] [PAGE...]
#   PAGE    README.md, docs/push.md and docs/web.md by default. Where a page lists options of parley-web, the program's own are compared.
#           The transcript of docs/scaling.md is run against two cells, for which haproxy and postgresql must be installed.
#   --site  runs pages that are about one gateway against two cells: `haproxy` by way of HAProxy, `cells` without it, each
#           command with another cell than that before it
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
. "$root/scripts/lib/gateway.sh"
site=machine pages=()
while (($#)); do
    case $1 in
    --site)
        [[ ${2-} == cells || ${2-} == haproxy ]] || fail "--site takes cells or haproxy"
        site=$2 && shift
        ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    -*) fail "there is no option $1; see scripts/test-readme.sh --help" ;;
    *) pages+=("$1") ;;
    esac
    shift
done
((${#pages[@]})) || pages=(README.md docs/push.md docs/web.md)

scratch=$(mktemp -d)
gateway='' background='' web='' door=''
finish() {
    [[ -z $background ]] || kill "$background" 2>/dev/null || true
    stop_site
    rm -rf "$scratch"
}
trap finish EXIT

# Starts what the page is about. Two cells have their data in ./cells; a page about one gateway finds that of the first where
# it looks for it.
start_site() {
    if [[ $current != docs/scaling.md && $site == machine ]]; then
        start_gateway_and_door "$scratch/gateway.log" --mqtt-port "$(free_port)" --web-port "$(free_port)"
        return
    fi
    free_ports 2
    start_cells "$scratch/gateway.log" 2 --port "$port"
    [[ $current != docs/scaling.md ]] || return 0
    ln -s cells/cell-1 data
    build_release "$root" parley-web
    web_port=$(free_port)
    "$binaries/parley-web" --port "$web_port" --broker "127.0.0.1:$(door_port)" \
        --accounts data/devices/web/door-1/credentials.json --accounts-socket data/run/broker.sock \
        --blobs blobs >web.out 2>>"$scratch/gateway.log" &
    door=$! web=http://127.0.0.1:$web_port
    until_true 60 test -s web.out
}

stop_site() {
    [[ -z $door ]] || { kill "$door" && wait "$door"; } || true
    door=
    stop_gateway
}

# The port by which devices come; without HAProxy that of each cell in turn.
door_port() {
    case $site in
    haproxy) echo "$port" ;;
    cells) echo $((port + 1 + commands % 2)) ;;
    esac
}

# Sends the next command on, by the files in which it finds the gateway.
lead_on() {
    [[ $site == cells && $current != docs/scaling.md ]] || return 0
    sed -i "s/\"mqtt_port\":[0-9]*/\"mqtt_port\":$(door_port)/" data/endpoint.json
}

# What a command printed must be what the page shows, where … stands for anything.
compare() {
    local expected actual pattern
    expected=$(printf '%s' "$2") actual=$(sed '/^$/d' "$3")
    pattern=$(printf '%s' "$expected" | sed -e 's/[][\*?]/\\&/g' -e 's/…/*/g')
    # shellcheck disable=SC2053 # The right side is a pattern.
    [[ $actual == $pattern ]] || fail "$current: $1
expected: $expected
printed:  $actual"
}

run() {
    [[ -n $1 ]] || return 0
    # The page names the door's usual port.
    local command_line=${1//http:\/\/127.0.0.1:9893/$web}
    lead_on
    if [[ $1 == *'&' ]]; then
        # As a reader would, go on when the command in the background has something to show.
        eval "$command_line"
        background=$!
        until_true 60 test -s "$(sed -E 's/.*> ([^ ]+) &$/\1/' <<<"$1")"
    else
        # What the page calls `$!` is that command; waiting for it has started others. The gateway is a child too: `wait`
        # means the command in the background only.
        command_line=${command_line//'$!'/$background}
        # A reader has a terminal, unless the page says where the output goes; `parley request` prints the same there.
        [[ $1 == *[\|\>]* || $1 == *'$('* || $1 == *'parley request '* ]] || command_line=${command_line//scripts\/parley /scripts/parley --text }
        [[ ${1%% *} != wait ]] || command_line="wait $background ${1#wait}"
        eval "$command_line" >printed 2>errors || fail "$current: $1 ended with status $?: $(cat errors)"
        compare "$1" "$2" printed
    fi
    commands=$((commands + 1))
}

run_transcripts() {
    local command='' output='' inside=no line
    while IFS= read -r line; do
        case $inside:$line in
        no:'<!-- transcript -->') inside=next ;;
        no:'<!-- restart -->')
            stop_site
            start_site
            ;;
        next:'```console') inside=yes ;;
        yes:'```')
            run "$command" "$output"
            command='' output='' inside=no
            ;;
        yes:'$ '*)
            run "$command" "$output"
            command=${line#'$ '} output=
            ;;
        yes:*) output+=${output:+$'\n'}$line ;;
        esac
    done <"$root/$current"
}

# Name, value and default of each option, as the page and as parley-web --help have them.
options_of_page() {
    sed -n '/^<!-- options -->$/,/^<!-- \/options -->$/p' "$root/$current" | tr -d '`' |
        sed -nE 's/^\| (--[a-z][a-z0-9-]*( <[^>]*>)?) \| ?([^|]*[^| ])? \| .*/\1 \3/p'
}
options_of_program() {
    "$binaries/parley-web" --help | sed -n '/^OPTIONS:/,$p' | tr -s ' \n' ' ' | sed 's/ \(--[a-z]\|-h, \)/\n\1/g' |
        sed -nE 's/^(--[a-z][a-z0-9-]*( <[^>]*>)?)( .*\(default: ([^)]*)\))?.*/\1 \4/p'
}

for current in "${pages[@]}"; do
    [[ -f $root/$current ]] || fail "there is no page $current"
    commands=0 background=''
    # A reader of the page stands in a clone; here the clone's scripts and docs stand in an empty directory.
    rm -rf "$scratch/clone"
    mkdir "$scratch/clone"
    ln -s "$root/scripts" "$root/docs" "$scratch/clone"
    cd "$scratch/clone"
    start_site
    run_transcripts
    ((commands > 0)) || fail "$current has no transcript"
    stop_site
    if grep -q '^<!-- options -->' "$root/$current"; then
        build_release "$root" parley-web
        diff <(options_of_page) <(options_of_program) >&2 || fail "$current: its options are not those of parley-web --help"
    fi
    by=
    [[ $site == machine ]] || by=", by two cells ($site)"
    say "$current: $commands commands print what the page shows$by"
done
