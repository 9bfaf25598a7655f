# Sourced, after say.sh. The one thing that Debian does not package, and how it is called.

# What each build of each script is made with, or one would build anew what another has built. A crash is read by functions
# and lines, and no debugger is attached: all that one could ask for takes a tenth of a build's time.
swift_flags=(-Xswiftc -gline-tables-only)
# For release: programs carry Swift's runtime, as packages need them, and look for libraries where the system has them.
release_flags=("${swift_flags[@]}" -c release --static-swift-stdlib --disable-local-rpath)

# Ends the script unless a Swift compiler that can build this package is in PATH.
need_swift() {
    local version
    command -v swift >/dev/null ||
        fail "there is no swift in PATH: install the Swift 6.3 toolchain for Debian 12 from https://swift.org/install"
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p')
    [[ -n $version ]] || fail "swift --version does not answer with a version: the toolchain in PATH is broken"
    printf '%s\n' 6.3 "$version" | sort --check=quiet --version-sort ||
        fail "Swift $version is too old: Parley needs 6.3 or later"
}
