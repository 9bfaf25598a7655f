# Sourced, after say.sh. Which Debian packages Parley needs, and how they come onto the machine.

# To compile: the C libraries behind CCurl, CMosquitto, CMosquittoBroker, COpenSSL, CSodium, CZlib and GRDB.
build_packages=(
    libcurl4-openssl-dev libmosquitto-dev libsodium-dev libsqlite3-dev libssl-dev mosquitto-dev pkg-config
    zlib1g-dev
)
# To compile it with PARLEY_POSTGRESQL_STORE: the C library behind CPostgreSQL.
postgresql_build_packages=(libpq-dev)
# To run a gateway, and to speak to it as the README does: with MQTT clients from outside the project.
run_packages=(mosquitto mosquitto-clients)
# To test: what the pages' lines call, JSON for the checks, certificates for the production template, HTTP/2 for a push
# service in a test's own process, a chat on a terminal that another program draws.
test_packages=(curl jq libnghttp2-dev openssl tmux)
# To test the door of a production gateway.
door_packages=(haproxy)
# To run several gateways on one machine: their database and their door.
cells_packages=(haproxy postgresql)
# To cut cells off: links between networks.
trial_packages=(iproute2)
# To test that the gateway's SQL is also PostgreSQL's. The test runs the programs itself, on a database of its own.
sql_packages=(postgresql)
# For the client in Python that the tests speak to: Tests/Interop/PythonDevice.
python_packages=(python3 python3-venv)
# For the push services that the tests speak to, Tests/Interop/PushDoubles: a client that shares no code with them.
push_packages=(curl)
# To make packages: what reads and writes programs for Linux, which libraries they load, and manual pages from JSON.
package_packages=(binutils chrpath dpkg-dev jq)
# To install them in a Debian of their own.
package_test_packages=(curl iproute2 mmdebstrap python3)
# To check alert rules and what is exposed: promtool. It comes with the server, a service on port 9090.
monitoring_packages=(prometheus)
# For the page's tests, beside firefox-esr: the other browser, and what reads QR codes with code that is not ours.
chromium_packages=(chromium chromium-driver)
page_packages=(zbar-tools)

# Prints those of its arguments that are not installed, one a line.
missing_packages() {
    local package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | head -n 1) == installed ]] ||
            printf '%s\n' "$package"
    done
}

# need_packages INSTALL PACKAGE...: sees to it that every PACKAGE is installed, or ends the script with status 1.
# INSTALL is "yes", or "no" to only say what is missing. Without root it prints the one command that installs them.
need_packages() {
    local install=$1
    shift
    command -v dpkg-query >/dev/null || fail "this needs Debian: there is no dpkg-query to ask for packages"
    local -a missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0

    say "missing packages: ${missing[*]}"
    if [[ $install == no || $EUID != 0 ]]; then
        local command="sudo apt-get install -y ${missing[*]}"
        lists_know "${missing[@]}" || command="sudo apt-get update && $command"
        say "they are installed by: $command"
        exit 1
    fi
    say "installing them"
    install_packages "${missing[@]}" || fail "apt-get could not install: ${missing[*]}"
}

# Whether apt's lists, as they are now, offer every package named.
lists_know() {
    local package known='Candidate: [^(]'
    for package in "$@"; do
        [[ $(apt-cache policy "$package" 2>/dev/null) =~ $known ]] || return 1
    done
}

# Debian's mosquitto starts a service on port 1883 as it is installed, and at every boot from then on; postgresql does on
# port 5432, prometheus on 9090, and haproxy on none. Whoever runs Parley asked for none of them: Parley starts programs of its own. So no service is started during our
# installation, and one that came with it is disabled. One that was there before is left as it is.
install_packages() (
    export DEBIAN_FRONTEND=noninteractive
    hold_services
    apt_get_install() { apt-get install -y --no-install-recommends "$@" >&2; }

    if ! lists_know "$@" || ! apt_get_install "$@"; then
        apt-get update >&2 && apt_get_install "$@" || exit 1
    fi
    local service
    for service in mosquitto postgresql haproxy prometheus; do
        if [[ " $* " == *" $service "* ]]; then
            update-rc.d "$service" disable >&2 ||
                say "the service $service could not be disabled; it may start at the next boot"
        fi
    done
)

# Asks invoke-rc.d to start nothing for as long as this shell runs, unless the machine has a policy of its own. The
# file removes itself from effect when this process is gone, so even kill -9 leaves nothing that matters behind.
hold_services() {
    local policy=/usr/sbin/policy-rc.d mark="# Made by Parley's scripts"
    if [[ -e $policy ]] && ! grep -qF "$mark" "$policy"; then return; fi
    printf '%s\n' '#!/bin/sh' "$mark while they install packages; it may be deleted." \
        "[ -d /proc/$BASHPID ] && exit 101" 'exit 0' >"$policy"
    chmod 755 "$policy"
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
