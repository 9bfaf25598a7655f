# Sourced, after say.sh and packages.sh. A Python environment with what Tests/Interop needs.

# need_python INSTALL ROOT: sees to it that there is one, and sets `python` to its interpreter. Where the package index
# cannot be reached: ends the script, with status 0 and a word about what was skipped, but in CI with status 1.
need_python() {
    local root=$2 environment=$2/.build/interop log
    need_packages "$1" "${python_packages[@]}"
    python=$environment/bin/python
    ! cmp --silent "$root/Tests/Interop/requirements.txt" "$environment/installed.txt" || return 0

    say "installing the Python packages of Tests/Interop/requirements.txt"
    rm -rf "$environment"
    mkdir -p "${environment%/*}"
    log=$(mktemp)
    # Debian's own, because the wheels are for it.
    if ! /usr/bin/python3 -m venv "$environment" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        fail "the Python environment $environment could not be made"
    fi
    if ! "$python" -m pip --no-input --disable-pip-version-check install --require-hashes --only-binary :all: \
        -r "$root/Tests/Interop/requirements.txt" >"$log" 2>&1; then
        cat "$log" >&2
        if [[ ${CI-} != true ]] && grep -q 'Retrying (Retry' "$log"; then
            rm -f "$log"
            say "SKIPPED all of it: the package index cannot be reached"
            exit 0
        fi
        rm -f "$log"
        fail "the Python packages could not be installed"
    fi
    rm -f "$log"
    cp "$root/Tests/Interop/requirements.txt" "$environment/installed.txt"
}
