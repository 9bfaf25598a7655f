# Sourced, after say.sh and packages.sh. A Python environment with what the tests in Python need.

# need_python INSTALL ROOT [SUITE]: sees to it that there is one for Tests/Interop/SUITE (PythonDevice by default), and
# sets `python` to its interpreter. Where the package index cannot be reached: ends the script, with status 0 and a word
# about what was skipped, but in CI with status 1.
need_python() {
    local root=$2 suite=${3-PythonDevice} wanted log
    local environment=$root/.build/${suite,,} requirements=$root/Tests/Interop/$suite/requirements.txt
    need_packages "$1" "${python_packages[@]}"
    python=$environment/bin/python
    # Others begin with what the device needs.
    wanted=$(cat "$requirements" && { [[ $suite == PythonDevice ]] || cat "$root/Tests/Interop/PythonDevice/requirements.txt"; })
    [[ ! -f $environment/installed.txt || $(<"$environment/installed.txt") != "$wanted" ]] || return 0

    say "installing the Python packages of Tests/Interop/$suite/requirements.txt"
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
        --no-build-isolation -r "$requirements" >"$log" 2>&1; then
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
    printf '%s\n' "$wanted" >"$environment/installed.txt"
}
