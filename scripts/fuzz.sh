#!/usr/bin/env bash
# Gives the parsers that meet strangers' bytes, in the broker, the gateway and a device, as many inputs as there is time for.
# Usage: scripts/fuzz.sh [SECONDS [PARSER…]]
#   SECONDS  for each parser; 60 if left out
#   PARSER   topic, filter, token, audience, gate, presence, report, request, received, packet, connect or account; all of
#            them if left out
# Compiles import-free sources, in a minute or so, with the fuzzer and the address sanitizer, into a directory that goes
# at the end. A parser that crashes, hangs or breaks a property ends the script with status 1; the input stays in
# ./fuzz-PARSER-….
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. scripts/lib/say.sh

case ${1-} in -h | --help) sed -n '2,9s/^# //p' "$0" && exit ;; esac
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "SECONDS must be a whole number, not '$seconds'; see scripts/fuzz.sh --help"
shift $(($# > 0 ? 1 : 0))
parsers=("$@")
((${#parsers[@]} > 0)) || parsers=(topic filter token audience gate presence report request received packet connect account)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One module of both floors: an import of itself is passed over. For a few seconds of fuzzing, optimizing takes longer than it
# gives.
compile() {
    local optimization=-O
    ((seconds >= 10)) || optimization=-Onone
    find Sources/MQTTPackets Sources/ParleyProtocol Sources/ParleyRules/Access Sources/ParleyRules/Presence Tests/Adversaries/Fuzz -name '*.swift' -print0 |
        xargs -0 swiftc -parse-as-library -wmo "$optimization" -swift-version 6 -suppress-warnings -module-name ParleyProtocol \
            -package-name parley -sanitize=fuzzer,address -o "$scratch/fuzz" 2>"$scratch/log" ||
        { cat "$scratch/log" >&2 && fail "the parsers do not compile"; }
}

# seed PARSER: a few inputs that the parser takes, to begin from.
seed() {
    local folder=$scratch/$1 cid=7f310b0c-6a52-4c1e-9a51-0d2b1a2f3c4d number=0 text
    mkdir -p "$folder"
    case $1 in
    topic | filter | gate)
        for text in up/alice/phone/messages/send down/alice/phone/messages/send/accepted 'down/alice/phone/#' \
            "conversations/$cid/messages" "conversations/$cid/#" users/alice/events 'users/alice/+' gateway/status \
            gateway/stats/sessions "groups/$cid/leaderboards/check-ins"; do
            number=$((number + 1))
            printf 'parley/v1/%s' "$text" >"$folder/$number"
        done
        ;;
    token)
        token '{"alg":"EdDSA","typ":"JWT"}' \
            "{\"sub\":\"alice\",\"did\":\"phone\",\"exp\":1768469400,\"jti\":\"$cid\",\"role\":\"device\"}" >"$folder/1"
        token '{"alg":"EdDSA"}' '{"exp":0,"iat":1}' >"$folder/2"
        ;;
    esac
    case $1 in
    packet)
        printf '\x20\x0b\x00\x00\x08\x21\x00\x14\x27\x00\x06\x00\x00\x40\x02\x00\x01\x90\x05\x00\x01\x00\x01\x87' >"$folder/answers"
        printf '\x32\x0e\x00\x03a/b\x00\x01\x05\x09\x00\x02xy!\xd0\x00\xe0\x01\x8e' >"$folder/delivery"
        ;;
    connect)
        printf '\x00\x04MQTT\x05\xc2\x00\x3c\x05\x11\x00\x00\x00\x09\x00\x03a:b\x00\x01a\x00\x01t' >"$folder/5"
        printf '\x00\x04MQTT\x04\xee\x00\x3c\x00\x03a:b\x00\x01w\x00\x01x\x00\x01a\x00\x01t' >"$folder/4"
        ;;
    esac
    case $1 in
    audience | gate)
        # The first byte is the format of `AudienceCodec`.
        printf '\x07\x01\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x01' >"$folder/begin"
        {
            printf '\x07\x09\x00\x00\x00\x68'
            for number in {1..13}; do printf '\x00\x00\x00\x00\x00\x00\x00\x08'; done
        } >"$folder/limits"
        printf '\x07\x03\x00\x00\x00\x0c\x05alice\x05phone' >"$folder/ended"
        printf '\x07\x04\x00\x00\x00\x190123456789abcdef\x00\x01\x05alice\x00' >"$folder/members"
        printf '\x07\x07\x00\x00\x00\x0a\x05alice\x03bob' >"$folder/friends"
        printf '\x07\x06\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x01' >"$folder/ready"
        ;;
    request | received)
        # The first byte chooses what is read.
        for text in '{"id":"'$cid'","conversation_id":"'$cid'","epoch":"e","seq":1,"kind":"message","sender_id":"alice","sender_device_id":"phone","message_type":"text","suite":"nacl-box","encrypted_content":"c2VhbGVk","nonce":"MDEy","recipient_keys":[{"user_id":"bob","device_id":"phone","encrypted_key":"MDEy"}],"expires_at":null,"created_at":"2026-01-15T09:30:00.000Z"}' \
            '{"cursors":{"'$cid'":{"epoch":"e","seq":42}},"limit":200,"request_id":"\u0061"}' \
            '{"conversations":[{"conversation_id":"'$cid'","recovered":true,"epoch":"e","last_seq":1,"messages":[],"watermarks":{"bob":{"delivered":1,"read":0}},"unread_count":1}],"left":[],"complete":true}' \
            '{"id":"'$cid'","address":"192.0.2.1","email":"alice@example.com","password":"correct horse","user_id":"alice","code":"40817263","device_name":"Phone","provider":"google","id_token":"a.b.c"}' \
            '{"user_id":"alice","device_id":"phone","username":"alice","client_id":"alice:phone","password":"t","expires_at":"2026-01-15T09:30:00.000Z","email":null,"has_password":true,"providers":[{"provider":"google","linked_at":"2026-01-15T09:30:00.000Z"}]}' \
            '{"type":"message.read","data":{"conversation_id":"'$cid'","user_id":"bob","last_read_message_id":"'$cid'","seq":1,"at":"2026-01-15T09:30:00.000Z"}}'; do
            number=$((number + 1))
            printf "\\x$(printf %02x "$number")%s" "$text" >"$folder/$number"
        done
        ;;
    account)
        for text in 'Alice.b+c@Example.co.uk' 192.0.2.1 2001:db8::1 ::ffff:192.0.2.1 1:2:3:4:5:6:7:8 fe80:: 40817263; do
            number=$((number + 1))
            printf '%s' "$text" >"$folder/$number"
        done
        ;;
    report)
        printf '\x01\x0balice:phone\x0dalice:phone:x' >"$folder/sessions"
        {
            printf '\x03'
            for number in {1..11}; do printf '\x00\x00\x00\x00\x00\x00\x00\x07'; done
        } >"$folder/counts"
        ;;
    presence)
        printf '\x01\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x01\x02\x00\x01\x05alice\x03' >"$folder/set"
        printf '\x01\x04\x05alice\x05\x05alice\x04\x03bob' >"$folder/changes"
        ;;
    esac
}

# token HEADER CLAIMS: its compact form, with a signature of zeros.
token() {
    printf '%s.%s.%s' "$(printf '%s' "$1" | base64url)" "$(printf '%s' "$2" | base64url)" \
        "$(head -c 64 /dev/zero | base64url)"
}
base64url() { base64 -w 0 | tr '+/' '-_' | tr -d '='; }

say "compiling"
compile
for parser in "${parsers[@]}"; do
    say "$parser: $seconds s"
    seed "$parser"
    # Swift's own backtracer would be a finding of the sanitizer.
    SWIFT_BACKTRACE=enable=no PARLEY_FUZZ=$parser "$scratch/fuzz" "$scratch/$parser" -max_total_time="$seconds" -max_len=4096 -timeout=5 \
        -artifact_prefix="./fuzz-$parser-" -print_final_stats=1 >"$scratch/log" 2>&1 || {
        grep -E -A 20 'Fatal error|ERROR: |Test unit' "$scratch/log" >&2
        fail "$parser: an input broke it"
    }
    grep -E 'number_of_executed_units|new_units_added' "$scratch/log"
done
say "nothing broke"
