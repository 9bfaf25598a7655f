# Sourced, after say.sh.

# build_release ROOT PRODUCT…: builds products of the package at ROOT for release. Quiet unless it fails, and then it
# ends the script with what the compiler said.
build_release() {
    local root=$1 product log
    shift
    log=$(mktemp)
    for product in "$@"; do
        say "building $product"
        # In the background, so that a signal to this script is heard at once; whatever ends it ends the build.
        setpriv --pdeathsig TERM swift build --package-path "$root" -c release --product "$product" >"$log" 2>&1 &
        if ! wait $!; then
            cat "$log" >&2
            rm -f "$log"
            fail "$product does not build"
        fi
    done
    rm -f "$log"
}
