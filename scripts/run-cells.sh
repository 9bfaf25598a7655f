#!/usr/bin/env bash
# Builds and runs several gateways on one database, all on this machine, for trying it out: N cells (Mosquitto with Parley's
# plugin, and parleyd), PostgreSQL, and HAProxy, to which devices come. docs/scaling.md is about more machines.
# Usage: scripts/run-cells.sh N [--data DIR] [--port N] [--no-install]
#   N              how many cells, 1 to 16; another number at each start if you like
#   --data DIR     everything that they keep; made on the first start (default: ./cells)
#   --port N       HAProxy's, for MQTT on 127.0.0.1 (default: what DIR is configured for, at first 1893); the brokers of the
#                  cells have the ports behind it, of which devices need none
#   --no-install   says which packages are missing and stops, even for root
# Started by root the programs run as the owner of DIR; a new DIR is given to the user parley, which is made. PostgreSQL does
# not run as root, so nothing of this does.
# Standard output gets one line, which begins `parley-cells: ready`, when devices can sign in; all else goes to standard error.
# The command-line tool, scripts/parley, is built afterwards: `scripts/parley --data DIR/cell-1 …` works by the first cell.
# What crashes is started again. SIGINT or SIGTERM stops HAProxy, the cells and then PostgreSQL, and ends this with status 0;
# a second one hurries. What cannot be started or kept up ends it with status 1 and the reason.
# A shell that starts this in the background lets it ignore SIGINT, and bash cannot trap what was ignored from the start.
if (((16#$(sed -n "s/^SigIgn:\t//p" /proc/$$/status) >> 1) & 1)); then exec env --default-signal=INT "$0" "$@"; fi

root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"
. "$root/scripts/lib/ports.sh"
. "$root/scripts/lib/data-directory.sh"
. "$root/scripts/lib/reach.sh"
. "$root/scripts/lib/supervise.sh"
. "$root/scripts/lib/cells.sh"

most_cells=16
data=./cells port='' install=yes count=''
while (($#)); do
    case $1 in
    --help | -h) sed -n '2,/^# A shell that/{/^# A shell that/!s/^# //p}' "$0" && exit ;;
    --no-install) install=no && shift && continue ;;
    --data | --port) [[ -n ${2-} ]] || fail "$1 needs a value" ;;
    -*) fail "there is no option $1; see scripts/run-cells.sh --help" ;;
    *)
        [[ -z $count ]] || fail "one number of cells is enough, and «$1» is another; see scripts/run-cells.sh --help"
        count=$1 && shift && continue
        ;;
    esac
    case $1 in
    --data) data=$2 ;;
    --port) port=$2 ;;
    esac
    shift 2
done
[[ $count =~ ^[1-9][0-9]?$ ]] && ((count <= most_cells)) ||
    fail "how many cells? a number from 1 to $most_cells, as in: scripts/run-cells.sh 2"
data=$(realpath -m -- "$data")

# The broker is in /usr/sbin, which only root has in PATH, and so is HAProxy.
PATH=$PATH:/usr/sbin

# Nothing runs yet that would need to be stopped in order.
trap 'stop_build; say "stopped before the cells were started"; exit 0' INT TERM HUP

need_swift
need_packages "$install" "${build_packages[@]}" "${postgresql_build_packages[@]}" "${run_packages[@]}" "${cells_packages[@]}"
take_data_directory "$data" never cell-1 "$longest_socket"
port=${port:-$(configured_port mqtt_port "$data/cell-1/endpoint.json")}
need_port --port "${port:=1893}"
# Found out now and not after the build.
least_port=$(</proc/sys/net/ipv4/ip_unprivileged_port_start)
((port >= least_port)) ||
    fail "only root may listen on port $port, and nothing of this runs as root: choose one from $least_port on with --port"
((port + count <= 65535)) || fail "--port leaves no room for the ports of $count cells behind it"
for ((cell = 1; cell <= count; cell++)); do
    ! port_taken $((port + cell)) ||
        fail "port $((port + cell)), of cell $cell, is taken by another program: choose another --port"
done

export PARLEY_POSTGRESQL_STORE=yes
# What is compiled stays as it is for run.sh, and nothing is fetched for a door that is not built.
[[ -n ${PARLEY_PRODUCTS-} || -x $root/.build/release/parley-web ]] || export PARLEY_GATEWAY_ALONE=yes
build_release "$root" parleyd ParleyBrokerPlugin
enter_as_owner "$data" "$root"

for ((cell = 1; cell <= count; cell++)); do prepare_cell "$cell"; done
prepare_postgresql
write_haproxy_configuration

later_build=
once_ready() {
    [[ $1 == haproxy ]] || return 0
    print_line "parley-cells: ready, devices at 127.0.0.1:$port, data of $count cells in $data/cell-N"
    log notice "the operator's tool works by any of them: scripts/parley --data $(printf %q "$data")/cell-1 …"
    (
        trap 'stop_build; exit 1' TERM
        exec 2> >(log_build)
        renice -n 10 -p "$BASHPID" >/dev/null
        build_release "$root" parley
        say "scripts/parley is built"
    ) </dev/null &
    later_build=$!
}

raise_descriptors
programs=(postgresql)
for ((cell = 1; cell <= count; cell++)); do programs+=("mosquitto-$cell" "parleyd-$cell"); done
programs+=(haproxy)
# Without it PostgreSQL would wait for whoever looks into the database.
stop_signal[postgresql]=INT
supervise
status=$?
[[ -z $later_build ]] || { kill "$later_build" && wait "$later_build"; } 2>/dev/null
((status != 0)) || log notice stopped
exit "$status"
