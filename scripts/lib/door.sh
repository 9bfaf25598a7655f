# Sourced by test-broker-config.sh, after the other libraries: a production gateway behind its door, and who comes to it.

# The door's certificate, its key, and both in one file.
make_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
    cat "$scratch/cert.pem" "$scratch/key.pem" >"$scratch/both.pem"
    chmod 644 "$scratch/cert.pem"
}

# start_door CONFIGURATION LOG: starts HAProxy; without root, and without IPv6, it goes without what needs them.
start_door() {
    local conf=$1 log=$2
    if ((EUID != 0)); then sed -i '/^    \(chroot\|user\|group\) /d' "$conf"; fi
    if [[ ! -s /proc/net/if_inet6 ]]; then sed -i '/^    bind ipv6@/d' "$conf"; fi
    haproxy -c -q -f "$conf" >"$log" 2>&1 || fail "$current: HAProxy does not take $conf: $(cat "$log")"
    haproxy -db -f "$conf" >>"$log" 2>&1 &
    children+=("$!")
}

# stranger COMMAND SOURCE NAME=VALUE…: one line of results; see Tests/Adversaries/Door.
stranger() {
    python3 "$root/Tests/Adversaries/Door/stranger.py" "$1" port="$door_port" source="$2" ca="$scratch/cert.pem" "${@:3}"
}

# value NAME LINE: what a line of results says of a name.
value() { sed -nE "s/.*\b$1=([^ ]*).*/\1/p" <<<"$2"; }

# expect WHAT CONDITION: the condition, of bash's arithmetic, holds.
expect() { (($2)) || fail "$current: $1: $2"; }

# Resident memory of the broker in KiB.
broker_memory() { awk '/^VmRSS/ { print $2 }' "/proc/$broker/status"; }

parley() { "$binaries/parley" --data "$data" "$@"; }

listens() { [[ -n $(addresses "$1") ]]; }
ready() { grep -q '^parley: ready' "$scratch/parleyd.out"; }
has_lines() { [[ $(wc -l <"$1") -ge $2 ]]; }

check_door() {
    local deaf seconds
    current="production behind the door"
    start_deaf
    deaf=$!
    start_door "$data/haproxy.cfg" "$scratch/haproxy.log"
    # A gateway of another test may answer probes on the usual port.
    PARLEY_SETTING_PROBE_PORT=$(free_port) "$binaries/parleyd" run --data "$data" \
        >"$scratch/parleyd.out" 2>"$scratch/parleyd.log" &
    children+=("$!")
    until_true 60 ready
    until_true 30 listens "$door_port"
    local check
    for check in listens_with_tls works_for_people names_the_wrong_protocol keeps_strangers_out lets_nobody_linger \
        takes_no_wills counts_refusals holds_an_address_to_its_number; do
        "$check"
        say "$current: ${check//_/ }"
    done
    wait "$deaf"
    seconds=$(value seconds "$(cat "$scratch/deaf")")
    expect 'a client that does not read was kept' "${seconds%.*} >= 25 && ${seconds%.*} < 50"
    say "$current: lets go of who does not read, after $seconds s"
}

# start_deaf: in the background, a client that stops reading, at a door of its own before a broker that lets everybody in.
start_deaf() {
    local port conf=$scratch/deaf.cfg
    port=$(free_port)
    printf '%s\n' "listener $port 127.0.0.1" 'allow_anonymous true' "user $(id -un)" >"$scratch/open.conf"
    mosquitto -c "$scratch/open.conf" >"$scratch/open.log" 2>&1 &
    children+=("$!")
    deaf_port=$(free_port)
    sed "s/:$door_port /:$deaf_port /; s/127.0.0.1:$mqtt_port/127.0.0.1:$port/" "$data/haproxy.cfg" >"$conf"
    start_door "$conf" "$scratch/deaf.log"
    until_true 30 listens "$deaf_port"
    until_true 30 listens "$port"
    python3 "$root/Tests/Adversaries/Door/stranger.py" deaf port="$deaf_port" ca="$scratch/cert.pem" >"$scratch/deaf" &
}

listens_with_tls() {
    [[ $(addresses "$door_port") == *00000000* ]] || fail "$current: the door is on $(addresses "$door_port")"
    [[ $(addresses "$mqtt_port") == 0100007F ]] || fail "$current: the broker is on $(addresses "$mqtt_port")"
    speaks_tls -tls1_2 || fail "$current: no TLS 1.2"
    speaks_tls -tls1_3 || fail "$current: no TLS 1.3"
    ! speaks_tls -tls1_1 -cipher ALL@SECLEVEL=0 || fail "$current: TLS 1.1"
}

# Whether the door completes a handshake with its certificate, under the given limits.
speaks_tls() {
    openssl s_client -connect "127.0.0.1:$door_port" -servername localhost -CAfile "$scratch/cert.pem" \
        -verify_return_error "$@" </dev/null >/dev/null 2>&1
}

# Operators by the Unix socket, devices through the door, Mosquitto's own clients with the files that `device add` leaves.
works_for_people() {
    local user conversation
    parley check-config >"$scratch/check" || fail "$current: check-config: $(cat "$scratch/check")"
    # Where root runs this test, its broker is root, which is warned of.
    ! grep -i warning "$scratch/check" "$scratch/parleyd.log" | grep -v 'user is root' >&2 ||
        fail "$current: a warning about the template"
    for user in alice bob; do
        parley user add "$user" --message-privacy anyone >/dev/null
        parley device add "$user" phone >"$scratch/$user.json"
    done
    [[ $(parley user list --json | jq -r .user_id | sort | paste -sd' ') == 'alice bob' ]] || fail "$current: user list"
    conversation=$(parley request --as alice/phone conversations/create '{"type":"direct","participant_ids":["bob"]}' |
        jq -r .data.id)
    parley chat --as bob/phone --with alice </dev/null 2>>"$scratch/tool.log"
    # Not by the function above: of that a shell would be ended, and the program left.
    "$binaries/parley" --data "$data" listen --as bob/phone --json >"$scratch/heard" 2>>"$scratch/tool.log" &
    children+=("$!")
    XDG_CONFIG_HOME=$data/devices/bob/phone mosquitto_sub -t "parley/v1/conversations/$conversation/messages" \
        >"$scratch/raw" &
    children+=("$!")
    local attempt
    for ((attempt = 0; attempt < 50; attempt++)); do
        parley send --as alice/phone --to bob 'Through the door' >/dev/null 2>>"$scratch/tool.log"
        if has_lines "$scratch/heard" 1 && has_lines "$scratch/raw" 1; then break; fi
    done
    until_true 30 has_lines "$scratch/heard" 1
    until_true 30 has_lines "$scratch/raw" 1
    [[ $(head -n 1 "$scratch/heard" | jq -r .content.text) == 'Through the door' ]] || fail "$current: $(cat "$scratch/heard")"
    parley device add alice laptop >/dev/null && parley device revoke alice laptop

    # The operator's token is no good at the door, nor on loopback, which is where the door sends everybody.
    local operator=$data/devices/operator/console/credentials.json
    ! mosquitto_pub -V 5 -h localhost -p "$door_port" --cafile "$scratch/cert.pem" -t x -n -i operator:console:x \
        -u operator -P "$(jq -r .password "$operator")" 2>/dev/null || fail "$current: the operator came through the door"
    ! mosquitto_pub -V 5 -h 127.0.0.1 -p "$mqtt_port" -t x -n -i operator:console:x \
        -u operator -P "$(jq -r .password "$operator")" 2>/dev/null || fail "$current: the operator came by loopback"
}

# refused_with TEXT EDIT: with endpoint.json so changed (a sed script), a device is told TEXT.
refused_with() {
    local errors status=0
    cp "$data/endpoint.json" "$scratch/endpoint.json"
    sed -i "$2" "$data/endpoint.json"
    errors=$(parley request --as alice/phone profile/get 2>&1 >/dev/null) || status=$?
    cat "$scratch/endpoint.json" >"$data/endpoint.json"
    [[ $status == 3 && $errors == *"$1"* ]] || fail "$current: status $status, expected «$1», got «$errors»"
}

names_the_wrong_protocol() {
    refused_with 'the gateway speaks TLS' 's/mqtts/mqtt/'
    refused_with 'the gateway speaks plain MQTT' "s/localhost/127.0.0.1/; s/$door_port/$mqtt_port/"
    refused_with 'is signed by nobody whom this machine trusts' 's/,"ca_file":"[^"]*"//'
}

keeps_strangers_out() {
    local line
    line=$(stranger oddities 127.0.2.1)
    # A sign-in that only lacks a token shows that strangers are answered at all.
    [[ $(value answered "$line") == none && $(value control "$line") == answered ]] || fail "$current: $line"
}

lets_nobody_linger() {
    local half trickle silent
    stranger silent 127.0.3.1 >"$scratch/silent" &
    local silent_process=$!
    half=$(value seconds "$(stranger half 127.0.3.2)")
    trickle=$(value seconds "$(stranger trickle 127.0.3.3)")
    expect 'half a CONNECT was kept' "${half%.*} >= 4 && ${half%.*} < 15"
    expect 'a CONNECT in pieces was kept' "${trickle%.*} >= 4 && ${trickle%.*} < 15"
    wait "$silent_process"
    silent=$(value seconds "$(cat "$scratch/silent")")
    expect 'a connection without TLS was kept' "${silent%.*} >= 10 && ${silent%.*} < 40"
    say "$current: half a CONNECT $half s, one in pieces $trickle s, no TLS $silent s"
}

# The broker never frees the will of a CONNECT that it refuses. Past the door the growth is seen, through it none.
takes_no_wills() {
    local before line direct through
    line=$(stranger many 127.0.4.1 count=100 will=3000 addresses=20)
    before=$(broker_memory)
    line=$(stranger many 127.0.4.1 count=1900 will=3000 addresses=20)
    through=$(($(broker_memory) - before))
    expect "wills were answered ($line)" "$(value answered "$line") == 0 && $(value closed "$line") == 1900"
    before=$(broker_memory)
    python3 "$root/Tests/Adversaries/Door/stranger.py" many port="$mqtt_port" count=500 will=60000 >/dev/null
    direct=$(($(broker_memory) - before))
    say "$current: 1900 wills through the door cost the broker $through KiB, 500 past it $direct KiB"
    expect 'wills grew the broker, in KiB' "$through < 1024"
    expect 'this test would not see a leak' "$direct > 4096"
}

# Refused sign-ins are counted by address, logged once a second, and cost the broker nothing.
counts_refusals() {
    local before line started=$SECONDS lines
    line=$(stranger many 127.0.5.1 count=100 addresses=20)
    before=$(broker_memory)
    : >"$scratch/haproxy.log"
    line=$(stranger many 127.0.5.1 count=1900 addresses=20)
    lines=$(grep -c 'refused to sign them in' "$scratch/haproxy.log")
    expect "sign-ins were not answered ($line)" "$(value answered "$line") == 1900"
    expect 'lines in the log of the door' "$lines >= 1 && $lines <= $SECONDS - $started + 1"
    expect 'refused sign-ins grew the broker, in KiB' "$(broker_memory) - $before < 1024"
    line=$(stranger many 127.0.5.1 count=300 addresses=1)
    expect "an address was refused more often than the door allows ($line)" "$(value away "$line") > 0"
    say "$current: 1900 refused sign-ins made $lines lines of log"
}

holds_an_address_to_its_number() {
    local line
    line=$(stranger crowd 127.0.6.1 count=300)
    expect "an address opened connections without end ($line)" "$(value let_in "$line") >= 150 && $(value let_in "$line") <= 205"
    parley request --as alice/phone profile/get >/dev/null || fail "$current: others suffered from it"
}
