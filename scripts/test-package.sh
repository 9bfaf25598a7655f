#!/usr/bin/env bash
# Makes the packages, installs them in a Debian of their own without a network, and sees that what is installed works: units
# that systemd has nothing to say against, programs that are started as the units say, two people who chat, an upgrade that
# keeps what was configured, removal, purge. In another, the twelve commands of docs/operations.md, by which two people on
# networks of their own chat over TLS.
# Usage: scripts/test-package.sh [--packages DIR] [--no-install]
#   --packages DIR  where the packages are, made by scripts/package.sh; without, they are made
#   --no-install    says which packages are missing and stops, even for root
# It needs root, for chroot, and namespaces of its own: it touches no network, port or process of this machine. Debian's
# packages for the bare system come by apt's mirror.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/waiting.sh"
. "$root/scripts/lib/other-machines.sh"

packages='' install=yes inside=''
while (($#)); do
    case $1 in
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    --no-install) install=no && shift && continue ;;
    --packages | --inside) [[ -n ${2-} ]] || fail "$1 needs a value" ;;
    *) fail "there is no option $1; see scripts/test-package.sh --help" ;;
    esac
    case $1 in
    --packages) packages=$(realpath -- "$2") ;;
    # This script's own way into the namespaces.
    --inside) inside=$2 ;;
    esac
    shift 2
done

units=(parley-broker parleyd parley-web)
data=/var/lib/parley
current=packages

# need_bare_system DIRECTORY: Debian with what the packages depend on, and with systemd's tools, but none of ours.
need_bare_system() {
    local depends suite
    depends=$(for package in "$gateway" "$tool"; do dpkg-deb -f "$package" Depends; done |
        tr ',' '\n' | sed -E 's/[|(].*//; s/ //g' | sort -u | paste -sd,)
    suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    say "installing Debian $suite with $depends"
    mmdebstrap --quiet --mode=root --variant=minbase --include="fish,haproxy,openssl,systemd,zsh,$depends" "$suite" "$1" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log" >&2 && fail "there is no Debian to install the packages in"; }
}

# the_package NAME: its file.
the_package() {
    local -a found=("$packages/$1"_*.deb)
    [[ ${#found[@]} == 1 && -f ${found[0]} ]] || fail "there is not one package $1 in $packages"
    printf '%s\n' "${found[0]}"
}

in_system() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

# become_service NAME=VALUE… COMMAND…: replaces the shell that it is called in by the command, as the user of the units, in
# their directory, with nothing of this environment.
become_service() {
    umask 077
    # As LimitNOFILE says, where this machine lets us.
    ulimit -n 65536 2>/dev/null || true
    exec chroot --userspec=parley:parley --groups= "$system" \
        env -i -C "$data" PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}

as_service() { (become_service "$@"); }

parley() { as_service parley --data "$data" "$@"; }

# value UNIT NAME: what a unit says of it.
value() { sed -n "s/^$2=//p" "$system/usr/lib/systemd/system/$1.service"; }

# words UNIT NAME: leaves a command of the unit in `command`, with the options of its environment's file.
words() {
    local name options line
    line=$(value "$1" "$2")
    while IFS='=' read -r name options; do
        [[ ! $name =~ ^[A-Z_]+$ ]] || line=${line//"\$$name"/"$options"}
    done <"$system$(value "$1" EnvironmentFile)"
    # It knows quotation marks, as systemd does.
    mapfile -t command < <(xargs -r printf '%s\n' <<<"$line")
}

# start UNIT: does what systemd would, and returns when the service says that it is ready. Its watchdog has little patience.
start() {
    local unit=$1 command watchdog=()
    [[ -z $(value "$unit" WatchdogSec) ]] || watchdog=(WATCHDOG_USEC=8000000)
    # systemd makes these as root.
    mkdir -p "$system/var/lib/$(value "$unit" StateDirectory)"
    chroot "$system" chown parley:parley "/var/lib/$(value "$unit" StateDirectory)"
    words "$unit" ExecStart
    become_service NOTIFY_SOCKET="/run/notices/$unit" "${watchdog[@]}" "${command[@]}" >>"$scratch/$unit.log" 2>&1 &
    process[$unit]=$!
    until_true 120 told "$unit" READY=1
    ((${#watchdog[@]} == 0)) || until_true 30 told "$unit" WATCHDOG=1
}

# told UNIT NOTICE: whether the service has said so since it was last started, and lives.
told() {
    kill -0 "${process[$1]}" 2>/dev/null || { cat "$scratch/$1.log" >&2 && fail "$current: $1 has ended"; }
    grep -qxF "$1 $2" "$scratch/notices"
}

stop() {
    local status=0
    kill -TERM "${process[$1]}"
    wait "${process[$1]}" || status=$?
    ((status == 0)) || { cat "$scratch/$1.log" >&2 && fail "$current: $1 ended with status $status"; }
    [[ -z $(value "$1" WatchdogSec) ]] || grep -qxF "$1 STOPPING=1" "$scratch/notices" || fail "$current: $1 did not say that it stops"
    unset "process[$1]"
}

start_all() {
    local unit
    : >"$scratch/notices"
    for unit in "${units[@]}"; do start "$unit"; done
}

stop_all() { for unit in parley-web parleyd parley-broker; do stop "$unit"; done; }

# heard FILE TEXT: whether a line of `parley listen --json` has this message.
heard() { jq -e --arg text "$2" -n 'any(inputs; .content.text? == $text)' "$1" >/dev/null 2>&1; }

dpkg_does() { in_system dpkg "$@" >"$scratch/dpkg" 2>&1 || { cat "$scratch/dpkg" >&2 && fail "$current: dpkg $*"; }; }
keys() { (cd "$system$data/keys" && sha256sum signing.key signing.pub); }

installs() {
    current=installation
    cp "$gateway" "$system/gateway.deb"
    cp "$tool" "$system/tool.deb"
    dpkg_does -i /gateway.deb /tool.deb
    grep -q 'systemctl enable --now' "$scratch/dpkg" || fail "$current: does not say how to start it"
    [[ $(stat -c '%a' "$system$data") == 700 && -s $system$data/mosquitto.conf ]] || fail "$current: no data directory"
    [[ -z $(in_system find "$data" ! -user parley) ]] || fail "$current: files of others in $data"
    [[ $(<"$system$data/parleyd.json") == '{}' ]] || fail "$current: settings: $(<"$system$data/parleyd.json")"
    local file
    for file in /usr/bin/parleyd /usr/bin/parley-web /usr/bin/parley /usr/lib/parley/libParleyBrokerPlugin.so; do
        ! in_system ldd "$file" | grep -E 'not found|swift|Foundation' >&2 || fail "$current: $file"
    done
    diff <(cd "$system" && find etc/parley -type f -printf '/%p\n' | sort) <(dpkg-deb -I "$gateway" conffiles) >&2 ||
        fail "$current: these are not the files that are kept"
    for file in parley.1 parleyd.8 parley-web.8; do [[ -s $system/usr/share/man/man${file##*.}/$file.gz ]] || fail "$current: $file"; done
    in_system bash -n /usr/share/bash-completion/completions/parley || fail "$current: completions"
    "$root/scripts/check-links.sh" "$system/usr/share/doc/parley-gateway" || fail "$current: documents link to what is not there"
}

# Options that no program knows end a service for good: systemd looks at the status of a unit's main process alone.
refuses_wrong_options() {
    current="wrong options"
    local unit command status
    for unit in "${units[@]}"; do
        words "$unit" ExecStart
        command=("${command[@]/parleyd init/parleyd init --nonsense}")
        [[ ${command[0]} == */bash ]] || command+=(--nonsense)
        status=0
        as_service timeout 60 "${command[@]}" >"$scratch/refused" 2>&1 || status=$?
        [[ " $(value "$unit" RestartPreventExitStatus) " == *" $status "* ]] ||
            fail "$current: $unit ends with status $status, and is started again: $(cat "$scratch/refused")"
    done
}

satisfies_systemd() {
    current=units
    local verdict unit services=("${units[@]}" parley-backup) files
    files=("${services[@]/#/\/usr/lib/systemd/system/}")
    verdict=$(in_system systemd-analyze verify --man=no "${files[@]/%/.service}" \
        /usr/lib/systemd/system/parley-backup.timer 2>&1) || fail "$current: $verdict"
    [[ -z $verdict ]] || fail "$current: $verdict"
    for unit in "${services[@]}"; do
        verdict=$(in_system systemd-analyze security --offline=true --threshold=20 --no-pager \
            "/usr/lib/systemd/system/$unit.service" 2>&1) || fail "$current: $verdict"
        say "$current: $(tail -n 1 <<<"$verdict" | sed 's/^[^A-Za-z]*//')"
    done
}

# offers COMMAND…: whether a shell of the service's user, which says «ready> », completes the devices that there are.
offers() {
    python3 "$root/Tests/Support/Completions/offers.py" 'parley send --as ' bob/phone \
        chroot --userspec=parley:parley --groups= "$system" env -i -C "$data" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 TERM=xterm \
        HOME=/run/shells PARLEY_DATA="$data" "$@"
}

completes() {
    local home=$system/run/shells
    install -d -m 777 "$home"
    printf '%s\n' "PS1='ready> '" '. /usr/share/bash-completion/completions/parley' >"$home/.bashrc"
    printf '%s\n' "PS1='ready> '" 'autoload -Uz compinit' 'compinit -D' >"$home/.zshrc"
    offers bash -i || fail "$current: bash does not complete"
    offers zsh -i || fail "$current: zsh does not complete"
    offers fish --init-command "function fish_prompt; echo -n 'ready> '; end" || fail "$current: fish does not complete"
}

# Signs in with a wrong token, which the broker's plugin logs: MQTT 3.1.1 of a client alice:phone.
sign_in_wrongly() {
    local socket
    exec {socket}<>/dev/tcp/127.0.0.1/1893
    printf '\x10\x20\0\x04MQTT\x04\xc2\0\x3c\0\x0balice:phone\0\x02me\0\x03no!' >&"$socket"
    # The broker closes it.
    timeout 30 cat <&"$socket" >/dev/null || true
    exec {socket}>&-
    until_true 30 grep -qF 'parley: alice:phone ' "$scratch/parley-broker.log"
}

logs() { cat "$scratch/parley-broker.log" "$scratch/parleyd.log" | grep -vE '^parley: ready'; }

# As docs/monitoring.md has it.
logs_text() {
    local form='^[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z (debug|info|notice|warning|error) (mosquitto|parleyd) .'
    ! logs | grep -vE "$form" >&2 || fail "$current: these lines of a log have another form"
    logs | grep -qE '^[^ ]+ warning mosquitto parley: alice:phone ' || fail "$current: the broker has not logged a refusal"
}

logs_json() {
    logs | jq -ne '[inputs | select(.time and .level == "warning" and .component == "mosquitto").message] |
        any(startswith("parley: alice:phone "))' >/dev/null || fail "$current: not logged as JSON: $(logs)"
}

lets_people_chat() {
    current=chat
    local user
    start_all
    for user in alice bob; do
        parley user add "$user" --message-privacy anyone >/dev/null
        parley device add "$user" phone >/dev/null
    done
    parley check-config >"$scratch/check" || fail "$current: $(cat "$scratch/check")"
    ! grep -i warning "$scratch/check" >&2 || fail "$current: a warning about what the package has configured"
    parley request --as alice/phone conversations/create '{"type":"direct","participant_ids":["bob"]}' >/dev/null
    for user in alice bob; do
        become_service parley --data "$data" listen --as "$user/phone" --json >"$scratch/$user" 2>>"$scratch/tool.log" &
        listener[$user]=$!
    done
    parley chat --as bob/phone --with alice </dev/null >/dev/null 2>>"$scratch/tool.log"
    parley chat --as alice/phone --with bob <<<'From a package' >/dev/null 2>>"$scratch/tool.log"
    until_true 60 heard "$scratch/bob" 'From a package'
    parley chat --as bob/phone --with alice <<<'It has arrived' >/dev/null 2>>"$scratch/tool.log"
    until_true 60 heard "$scratch/alice" 'It has arrived'
    kill "${listener[@]}"
    completes
    # As docs/monitoring.md has it for Prometheus.
    curl -fsS http://127.0.0.1:9896/readyz >/dev/null || fail "$current: the door answers no probes"
    curl -fsS http://127.0.0.1:9893/ | grep -qi '<!doctype html>' || fail "$current: the door serves no page"
    sign_in_wrongly
    stop_all
    logs_text
}

# What the timer does, after people have chatted; what the commands for operators say of the packaged gateway.
backs_up() {
    current=backup
    local command backups=$system$data/backups
    start_all
    words parley-backup ExecStart
    as_service "${command[@]}" >"$scratch/backup" 2>&1 || fail "$current: $(cat "$scratch/backup")"
    grep -q ' checked; ' "$scratch/backup" || fail "$current: $(cat "$scratch/backup")"
    [[ $(find "$backups" -name 'parley-*.backup' -perm 600 | wc -l) == 1 ]] || fail "$current: $(ls -lA "$backups")"
    (cd "$backups" && b2sum --check --quiet -- *.b2) || fail "$current: the digest does not fit"
    parley status >"$scratch/status" || fail "$current: $(cat "$scratch/status")"
    parley doctor --thorough >"$scratch/doctor" || fail "$current: $(cat "$scratch/doctor")"
    stop_all
}

# An upgrade whose package has other configuration; one file of it was changed here, and one was not.
upgrades() {
    current=upgrade
    local next=$scratch/next before
    before=$(keys)
    dpkg-deb -R "$gateway" "$next"
    sed -i 's/^Version: .*/&+next/' "$next/DEBIAN/control"
    printf '# Theirs\n' | tee -a "$next/etc/parley/gateway.conf" "$next/etc/parley/broker.conf" >/dev/null
    printf '# Ours\n' >>"$system/etc/parley/gateway.conf"
    printf '%s\n' '{"group_members":11,"log_format":"json"}' >"$system$data/parleyd.json"
    dpkg-deb --root-owner-group -Znone -b "$next" "$system/next.deb" >/dev/null
    dpkg_does -i --force-confdef --force-confold /next.deb
    [[ $(tail -n 1 "$system/etc/parley/gateway.conf") == '# Ours' ]] || fail "$current: what was configured is gone"
    [[ $(tail -n 1 "$system/etc/parley/gateway.conf.dpkg-dist") == '# Theirs' ]] || fail "$current: the new configuration is not beside it"
    [[ $(tail -n 1 "$system/etc/parley/broker.conf") == '# Theirs' ]] || fail "$current: the old template is still there"
    [[ $(keys) == "$before" && $(<"$system$data/parleyd.json") == '{"group_members":11,"log_format":"json"}' ]] || fail "$current: keys or settings are others"
    ! grep -q 'systemctl enable' "$scratch/dpkg" || fail "$current: takes itself for the first installation"
    rm "$scratch/parley-broker.log" "$scratch/parleyd.log"
    start_all
    become_service parley --data "$data" listen --as bob/phone --history 10 --json >"$scratch/bob" 2>>"$scratch/tool.log" &
    listener[bob]=$!
    until_true 60 heard "$scratch/bob" 'From a package'
    kill "${listener[bob]}"
    sign_in_wrongly
    stop_all
    logs_json
}

removes() {
    current=removal
    local before
    before=$(keys)
    dpkg_does -r parley-gateway parley
    [[ ! -e $system/usr/bin/parleyd && ! -e $system/usr/lib/parley && ! -e $system/usr/bin/parley ]] || fail "$current: programs are still there"
    [[ -s $system/etc/parley/gateway.conf ]] || fail "$current: what was configured is gone"
    current=purge
    dpkg_does -P parley-gateway parley
    grep -qF "messages and keys stay in $data" "$scratch/dpkg" || fail "$current: does not say where messages are"
    [[ ! -e $system/etc/parley ]] || fail "$current: leaves $(ls -A "$system/etc/parley")"
    [[ $(keys) == "$before" && -s $system$data/parley.db ]] || fail "$current: messages or keys are gone"
    current="installation on what was left"
    dpkg_does -i /gateway.deb
    [[ $(keys) == "$before" ]] || fail "$current: other keys"
}

if [[ -n $inside ]]; then
    scratch=$inside system=$inside/system packages=$inside/packages
    gateway=$(the_package parley-gateway) tool=$(the_package parley)
    declare -A process=() listener=()
    # The process that this is ends all others in its namespace with it.
    ip link set lo up
    mount -t proc proc "$system/proc"
    mount -t tmpfs -o mode=755 tmpfs "$system/run"
    mkdir "$system/run/notices"
    python3 "$root/Tests/Support/ServiceManager/notices.py" "$system/run/notices" "${units[@]}" >>"$scratch/notices" &
    until_true 30 grep -q '^listening' "$scratch/notices"
    for check in installs satisfies_systemd refuses_wrong_options lets_people_chat backs_up upgrades removes takes_twelve_commands; do
        "$check"
        say "${check//_/ }"
    done
    exit
fi

((EUID == 0)) || fail "this needs root, for chroot"
need_packages "$install" "${package_packages[@]}" "${package_test_packages[@]}"
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [[ -z $packages ]]; then
    packages=$scratch/packages
    flags=()
    [[ $install == yes ]] || flags=(--no-install)
    "$root/scripts/package.sh" "${flags[@]}" --output "$packages" >/dev/null
else
    ln -s "$packages" "$scratch/packages"
fi
gateway=$(the_package parley-gateway) tool=$(the_package parley)
need_bare_system "$scratch/system"
cp -a "$scratch/system" "$scratch/other"
# In a bare system nobody needs to pass here but the service.
chmod 755 "$scratch" "$scratch/system" "$scratch/other"
unshare --mount --pid --net --fork --kill-child --mount-proc --propagation private -- "$0" --inside "$scratch" ||
    fail "the packages do not work"
say "the packages install, work, upgrade and go"
