#!/usr/bin/env bash
# Builds the reference of the client, Sources/ParleyClient/ParleyClient.docc, from the modules of the debug build: a name in it, or
# in a comment, that leads nowhere is a fault. Parameters need no words of their own.
# Usage: scripts/test-docc.sh [FOLDER]
#   FOLDER  where the archive is to lie: ParleyClient.doccarchive
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/toolchain.sh"

case ${1-} in
-h | --help) sed -n '2,5s/^# //p' "$0" && exit ;;
-*) fail "there is no option $1; see scripts/test-docc.sh --help" ;;
esac

need_swift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${1:-$scratch}
build=$root/.build/debug
[[ -f $build/Modules/ParleyClient.swiftmodule ]] || fail "there is no debug build of ParleyClient in $build"

# The modules of C that the Swift modules were compiled with.
maps=()
for map in "$root"/Sources/C*/module.modulemap "$root"/.build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap; do
    maps+=(-Xcc "-fmodule-map-file=$map")
done
target=$(swift -print-target-info | jq -r .target.triple)
mkdir "$scratch/symbols"
swift-symbolgraph-extract -module-name ParleyClient -target "$target" -I "$build/Modules" "${maps[@]}" \
    -minimum-access-level public -skip-synthesized-members -output-dir "$scratch/symbols"
docc convert "$root/Sources/ParleyClient/ParleyClient.docc" --additional-symbol-graph-dir "$scratch/symbols" \
    --fallback-display-name ParleyClient --fallback-bundle-identifier org.parley.client \
    --output-path "$folder/ParleyClient.doccarchive" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2 && exit 1; }
faults=$(grep -A 2 -E '^(warning|error): ' "$scratch/log" | grep -vE '^--$' |
    awk '/^(warning|error): /{ keep = !/ is missing documentation/ } keep') || true
[[ -z $faults ]] || { printf '%s\n' "$faults" >&2 && fail "the reference has names that lead nowhere"; }
pages=$(find "$folder/ParleyClient.doccarchive/data/documentation" -name '*.json' | wc -l)
((pages > 500)) || fail "the reference has $pages pages, and each declaration is one"
say "the reference has $pages pages"
