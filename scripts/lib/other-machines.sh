# Sourced by test-package.sh, after the other libraries: two people who chat from networks of their own, by the twelve commands
# of docs/operations.md.

# The commands of docs/operations.md, as PROMPT<TAB>COMMAND.
twelve_commands() {
    sed -n '/^<!-- twelve-commands -->$/,/^```$/p' "$root/docs/operations.md" | sed -nE 's/^(gateway#|alice\$|bob\$) /\1\t/p'
}

# person_at NETWORK NUMBER: a network namespace with a link to the gateway's, and somebody with a home.
person_at() {
    ip netns add "$1"
    ip link add "to-$1" type veth peer name eth0 netns "$1"
    ip address add "10.77.$2.1/24" dev "to-$1"
    ip link set "to-$1" up
    ip -n "$1" address add "10.77.$2.2/24" dev eth0
    ip -n "$1" link set lo up
    ip -n "$1" link set eth0 up
    ip -n "$1" route add default via "10.77.$2.1"
    in_system useradd --create-home "$1"
}

# as_person NAME COMMAND…: in the person's network and home.
as_person() {
    ip netns exec "$1" chroot --userspec="$1:$1" --groups= "$system" \
        env -i -C "/home/$1" HOME="/home/$1" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "${@:2}"
}

# does COMMAND: what the gateway's administrator enters. There is no systemd that runs: services are started as their units say.
does() {
    local unit words
    case $1 in
    'systemctl enable --now '*)
        : >"$scratch/notices"
        read -ra words <<<"${1#systemctl enable --now }"
        for unit in "${words[@]}"; do [[ $unit == *.timer ]] || start "${unit%.service}"; done
        ;;
    'systemctl restart haproxy.service')
        chroot "$system" haproxy -c -q -f /etc/haproxy/haproxy.cfg >"$scratch/haproxy.log" 2>&1 ||
            fail "$current: $(cat "$scratch/haproxy.log")"
        chroot "$system" env -i PATH=/usr/sbin:/usr/bin haproxy -db -f /etc/haproxy/haproxy.cfg >>"$scratch/haproxy.log" 2>&1 &
        process[haproxy]=$!
        # As systemd does.
        until_true 30 port_taken 8883
        ;;
    *) in_system sh -c "cd /root && $1" >"$scratch/command" 2>&1 || fail "$current: $1: $(cat "$scratch/command")" ;;
    esac
}

# says FILE TEXT
says() { grep -qF -- "$2" "$1"; }

takes_twelve_commands() {
    current='twelve commands'
    local prompt command words person number=0
    [[ $(twelve_commands | wc -l) == 12 ]] || fail "$current: $(twelve_commands | wc -l) in docs/operations.md"
    system=$scratch/other
    mount -t proc proc "$system/proc"
    mount -t tmpfs -o mode=755 tmpfs "$system/run"
    mkdir "$system/run/notices"
    mount --bind "$scratch/system/run/notices" "$system/run/notices"
    cp "$gateway" "$tool" "$system/root/"
    mkdir -p "$system/dev/pts"
    mount -t devpts -o ptmxmode=0666,mode=0620 devpts "$system/dev/pts"
    ln -sfn pts/ptmx "$system/dev/ptmx"
    # Names of networks are the machine's otherwise.
    mkdir -p /run/netns
    mount -t tmpfs tmpfs /run/netns
    person_at alice 1
    person_at bob 2
    printf '%s\n' '127.0.0.1 localhost' '10.77.1.1 chat.example.org' >"$system/etc/hosts"
    # What HAProxy's package would have a running systemd make.
    mkdir -p "$system/run/haproxy"
    while IFS=$'\t' read -r -u 9 prompt command; do
        person=${prompt%?}
        read -ra words <<<"$command"
        if [[ $person == gateway ]]; then
            does "$command"
        elif [[ $command == 'parley chat '* ]]; then
            mkfifo "$scratch/$person.in"
            # In a terminal, as people have it.
            as_person "$person" TERM=xterm script -qec "stty cols 80 rows 24; $command" /dev/null \
                <"$scratch/$person.in" >"$scratch/$person.out" 2>"$scratch/$person.err" &
            listener[$person]=$!
        else
            mv "$system/root/$person.parley" "$system/home/$person/"
            in_system chown "$person:$person" "/home/$person/$person.parley"
            as_person "$person" "${words[@]}" >"$scratch/$person.log" 2>&1 || fail "$current: $command: $(cat "$scratch/$person.log")"
        fi
    done 9< <(twelve_commands)
    trap 'cat "$scratch"/{alice,bob}.{out,err} >&2' EXIT
    exec 7>"$scratch/alice.in" 8>"$scratch/bob.in"
    # Each has reached the gateway once they are told of the other's keys.
    for person in alice bob; do until_true 60 says "$scratch/$person.out" 'is new to this device'; done
    for person in bob alice bob; do
        number=$((number + 1))
        printf 'Line %s of %s\r' "$number" "$person" >&"$([[ $person == alice ]] && printf 7 || printf 8)"
        until_true 60 says "$scratch/$([[ $person == alice ]] && printf bob || printf alice).out" "Line $number of $person"
    done
    printf '/quit\r' | tee /dev/fd/7 >&8
    trap - EXIT
    for person in alice bob; do
        wait "${listener[$person]}" || fail "$current: $person: $(cat "$scratch/$person.err")"
    done
    exec 7>&- 8>&-
    # Nothing but the door can be reached from outside.
    as_person alice sh -c 'echo | timeout 5 openssl s_client -connect chat.example.org:8883 -verify_return_error -CAfile /etc/haproxy/parley.crt' \
        >"$scratch/command" 2>&1 || fail "$current: $(cat "$scratch/command")"
    for number in 1893 9893 9895 9896; do
        ! as_person alice timeout 5 bash -c "exec 3<>/dev/tcp/10.77.1.1/$number" 2>/dev/null || fail "$current: port $number is open"
    done
    kill "${process[haproxy]}"
    wait "${process[haproxy]}" || true
    stop_all
}
