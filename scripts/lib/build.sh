# Sourced, after say.sh and toolchain.sh. The programs that a script runs.
#
# PARLEY_PRODUCTS names a folder in which they have been built, in whatever configuration: then nothing is built. So
# scripts/test.sh builds once for all that it starts.

building= telling=

# build_release ROOT PRODUCT…: sees to it that products of the package at ROOT are there, by a build for release, and sets
# `binaries` to the folder that they are in. Quiet unless it fails, and then it ends the script with what the compiler said.
build_release() {
    local root=$1 product log at_once='' sources
    local -a missing=()
    shift
    if [[ -n ${PARLEY_PRODUCTS-} ]]; then
        binaries=$(realpath -- "$PARLEY_PRODUCTS")
        for product in "$@"; do
            [[ $product != ParleyBrokerPlugin ]] || product=libParleyBrokerPlugin.so
            [[ -f $binaries/$product ]] || fail "there is no $product in $binaries, which PARLEY_PRODUCTS names"
        done
        return
    fi
    # Before the build: what is changed meanwhile is built the next time.
    sources=$(sources_of "$root")
    for product in "$@"; do [[ $(built_from "$root" "$product") == "$sources" ]] || missing+=("$product"); done
    binaries=$(realpath -m -- "$root/.build/release")
    ((${#missing[@]} > 0)) || return 0
    set -- "${missing[@]}"
    log=$(mktemp)
    # Both programs at once, so that more of it is compiled side by side: ParleyPrograms depends on them.
    if [[ " $* " == *" parleyd "* && " $* " == *" ParleyBrokerPlugin "* ]]; then
        say "building parleyd and the broker's plugin"
        build_quietly "$log" "parleyd and the plugin" "${release_flags[@]}" --target ParleyPrograms
        at_once=parleyd
    fi
    for product in "$@"; do
        [[ $product != "$at_once" ]] || continue
        say "building $product"
        build_quietly "$log" "$product" "${release_flags[@]}" --product "$product"
    done
    rm -f "$log"
    binaries=$(realpath -- "$root/.build/release")
    mkdir -p "$root/.build/built"
    for product in "$@"; do
        { printf '%s\n' "$sources" && state_of "$root" "$product"; } >"$root/.build/built/$product"
    done
}

# sources_of ROOT: a digest of all that a build depends on: the package's files by name, size and time, the compiler, and
# what Package.swift asks the environment for. SwiftPM would come to the same end in seconds, which this takes a tenth of.
sources_of() {
    (
        cd "$1" && find Package.swift Sources Tests -path Sources/WebPage -prune -o -type f -printf '%p %s %T@\n' | LC_ALL=C sort
        stat -L -c '%n %s %Y' "$(command -v swift)"
        printf '%s\n' "${release_flags[@]}" "${PARLEY_POSTGRESQL_STORE-}"
    ) | sha256sum
}

# state_of ROOT PRODUCT: which file the product is; nothing if there is none.
state_of() {
    local file=$2
    [[ $file != ParleyBrokerPlugin ]] || file=libParleyBrokerPlugin.so
    stat -L -c '%s %Y' "$1/.build/release/$file" 2>/dev/null || true
}

# built_from ROOT PRODUCT: the digest of the sources that the product was built from, if it is still that product.
built_from() {
    local record=$1/.build/built/$2 state
    state=$(state_of "$1" "$2")
    [[ -f $record && -n $state && $(sed -n 2p "$record") == "$state" ]] || return 0
    sed -n 1p "$record"
}

# build_quietly LOG WHAT OPTION…: a build of the package at `root`, with options of `swift build`.
build_quietly() {
    local log=$1 what=$2
    shift 2
    # In the background, so that a signal to this script is heard at once. If this script is killed, the build gets
    # SIGINT, at which it ends its compilers too, and which it would ignore in the background otherwise.
    setsid env --default-signal=INT setpriv --pdeathsig INT \
        swift build --package-path "$root" "$@" >"$log" 2>&1 &
    building=$!
    tell_how_far "$log" "$what" "$building" &
    telling=$!
    if ! wait "$building"; then
        stop_telling
        cat "$log" >&2
        rm -f "$log"
        fail "$what does not build"
    fi
    building=
    stop_telling
}

# tell_how_far LOG WHAT PROCESS: says every 20 s, until the process ends, how long it has taken and how many of its steps
# are done. The first build takes minutes.
tell_how_far() {
    local began=$SECONDS seconds steps
    # Its `sleep` ends with it.
    trap 'kill "$!" 2>/dev/null; exit' TERM
    while
        sleep 20 &
        wait "$!"
        kill -0 "$3" 2>/dev/null
    do
        seconds=$((SECONDS - began))
        if ! steps=$(tail -c 4096 "$1" 2>/dev/null | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1); then
            steps='fetching what it depends on'
            ! grep -q '^Another instance of SwiftPM' "$1" || steps='waiting for another build'
        fi
        say "building $2: $((seconds / 60)) min $((seconds % 60)) s, $steps"
    done
}

stop_telling() {
    [[ -z $telling ]] || { kill "$telling" && wait "$telling"; } 2>/dev/null || true
    telling=
}

# Ends a build that is under way, with its compilers.
stop_build() {
    stop_telling
    [[ -z $building ]] || kill -TERM -- "-$building" 2>/dev/null || true
}
