# Sourced, after say.sh.

building=

# build_release ROOT PRODUCT…: builds products of the package at ROOT for release. Quiet unless it fails, and then it
# ends the script with what the compiler said.
build_release() {
    local root=$1 product log
    shift
    log=$(mktemp)
    for product in "$@"; do
        say "building $product"
        # In the background, so that a signal to this script is heard at once. If this script is killed, the build gets
        # SIGINT, at which it ends its compilers too, and which it would ignore in the background otherwise.
        setsid env --default-signal=INT setpriv --pdeathsig INT \
            swift build --package-path "$root" -c release --product "$product" >"$log" 2>&1 &
        building=$!
        if ! wait "$building"; then
            cat "$log" >&2
            rm -f "$log"
            fail "$product does not build"
        fi
        building=
    done
    rm -f "$log"
}

# Ends a build that is under way, with its compilers.
stop_build() { [[ -z $building ]] || kill -TERM -- "-$building" 2>/dev/null || true; }
