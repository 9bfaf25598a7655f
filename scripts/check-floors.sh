#!/usr/bin/env bash
# Holds the package to the table of floors in docs/architecture.md, and the tree to its other rules there.
# Usage: scripts/check-floors.sh [--self-test]
#   --self-test  plants each fault in a copy of the tree and sees that it is found
set -euo pipefail
# Without this a check that breaks inside $( ) would pass for one that found nothing.
shopt -s inherit_errexit
cd "$(dirname "$(readlink -f "$0")")/.."
. scripts/lib/say.sh
. scripts/lib/floors.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
package_graph >"$scratch/graph"

case ${1-} in
"")
    faults=$(floor_faults . "$scratch/graph")
    if [[ -n $faults ]]; then
        printf '%s\n' "$faults" >&2
        fail "$(wc -l <<<"$faults") faults against docs/architecture.md"
    fi
    ;;
--self-test)
    . scripts/lib/floors-self-test.sh
    floors_self_test "$scratch"
    ;;
*) fail "usage: scripts/check-floors.sh [--self-test]" ;;
esac
