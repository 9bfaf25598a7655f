# Sourced after say.sh and gates.sh. Shows that a gate that fails or hangs is found, ended whole, and holds up no other.

gates_self_test() {
    local scratch left
    scratch=$(mktemp -d)
    # shellcheck disable=SC2064  # the directory of now is meant
    trap "stop_gates; rm -rf '$scratch'" EXIT
    logs=$scratch gates=(fails passes hangs stays "is late")
    gate_limit=2 gate_grace=1 tick=1
    run_planted 2>"$scratch/errors" && fail "gates that failed are taken for ones that passed"
    left=$(pgrep -f "$scratch/left") && fail "what a gate started has outlived it: $left"
    expect_said 'FAILED: fails' 'FAILED: hangs' 'FAILED: stays' 'FAILED: is late' 'passes | it says this' \
        'the last that was said by fails:' 'hangs has not ended after 0:02' "tail -f $scratch/left" 'hangs: 0:01'
    has_passed passes || fail "a gate that passed is taken for one that failed"
    say "of 5 gates the 4 that fail, hang or are late were found and ended"
}

run_planted() {
    begin_gates
    gate fails sh -c 'echo it fails >&2; false'
    gate_beside passes echo it says this
    gate_beside hangs sh -c "touch $scratch/left; tail -f $scratch/left & tail -f $scratch/left"
    gate_beside stays sh -c "trap '' TERM; tail -f $scratch/left"
    await_gates 0
    gates_limit=0
    gate "is late" tail -f "$scratch/left"
    end_gates
}

# expect_said TEXT…: each was said.
expect_said() {
    local text
    for text; do
        grep -qF -- "$text" "$scratch/errors" || fail "expected «$text», and was said: $(cat "$scratch/errors")"
    done
}
