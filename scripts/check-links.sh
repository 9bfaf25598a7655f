#!/usr/bin/env bash
# Sees that the links in README.md and docs lead somewhere: to a file or directory of the repository and, where a link
# names one, to a heading in it. A path of the repository named in `code` must exist too, and a section of the protocol
# that a page, a comment or a script cites: «protocol §4» is the heading «## 4. …» of docs/protocol.md. The web is not
# asked.
# Usage: scripts/check-links.sh [--self-test | /DIR]
#   /DIR         checks the links alone, of a copy of README.md and docs that lies elsewhere
#   --self-test  plants dead links in a copy and sees that they are found
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$(readlink -f "$0")")/.."
. scripts/lib/say.sh

# The prose of a page: no fenced blocks, whose brackets and paths are examples.
prose() { awk '/^ *(```|~~~)/ { fenced = !fenced; next } !fenced' "$1"; }

# The anchors of a page's headings, as the usual renderers make them.
anchors() {
    prose "$1" | sed -nE 's/^#{1,6} +(.*[^ #]) *#* *$/\L\1/p' | sed -E 's/[^[:alnum:] _-]//g; s/ /-/g' |
        awk '{ print seen[$0] ? $0 "-" seen[$0] : $0; seen[$0]++ }'
}

# Lines of PAGE and what is dead in it, for every page below the root.
dead_links() {
    local root=$1 page target path
    local -a pages
    mapfile -t pages < <(cd "$root" && find README.md docs -name '*.md' 2>/dev/null | sort)
    for page in "${pages[@]}"; do
        while read -r target; do
            path=${target%%#*}
            if [[ -n $path && $path != /* ]]; then path=$(dirname "$page")/$path; else path=${path#/}; fi
            path=${path:-$page}
            if [[ ! -e $root/$path ]]; then
                echo "$page: nothing is at $target"
            elif [[ $target == *'#'* ]] && ! anchors "$root/$path" | grep -xF -- "${target#*#}" >/dev/null; then
                echo "$page: no heading is at $target"
            fi
        done < <(prose "$root/$page" | sed -E 's/`[^`]*`/code/g' | { grep -oE '\]\([^) ]+' || true; } | cut -c3- |
            { grep -vE '^[a-z]+:' || true; })
    done
}

# The same of the paths of the repository that pages name in `code`.
dead_paths() {
    local root=$1 page target
    local -a pages
    mapfile -t pages < <(cd "$root" && find README.md docs -name '*.md' 2>/dev/null | sort)
    for page in "${pages[@]}"; do
        while read -r target; do
            [[ -e $root/$target ]] || echo "$page: nothing is at $target"
        done < <(prose "$root/$page" | { grep -oE '`(Sources|Tests|broker-config|docs|scripts)/[A-Za-z0-9_./+-]*`' ||
            true; } | tr -d '`')
    done
}

# Lines of FILE and which section of the protocol it cites that is not there.
dead_sections() {
    local root=$1 sections file section
    sections=$(sed -nE 's/^## ([0-9]+)\. .*/\1/p' "$root/docs/protocol.md")
    while IFS=: read -r file section; do
        grep -xF -- "$section" <<<"$sections" >/dev/null || echo "$file: the protocol has no §$section"
    done < <(cd "$root" && grep -rIoE '[Pp]rotocol §[0-9]+' README.md Sources Tests docs scripts --exclude=check-links.sh |
        sed -E 's/^([^:]+):.*§([0-9]+)$/\1:\2/' | sort -u)
}

dead_ends() {
    dead_links "$1"
    dead_paths "$1"
    dead_sections "$1"
}

# All are planted at once, at the end of one page: what is found must be these, and nothing else.
self_test() {
    local tree found expected entry
    tree=$(mktemp -d)
    # shellcheck disable=SC2064  # the directory of now is meant
    trap "rm -rf '$tree'" EXIT
    for entry in README.md LICENSE Package.swift Sources Tests broker-config docs scripts; do
        [[ ! -e $entry ]] || cp -r "$entry" "$tree"
    done
    cat >>"$tree/docs/architecture.md" <<'PLANTED'

# A heading: of two
[fine](#a-heading-of-two) [fine](../docs)
```
[fine](in-code)
```
[a](missing.md)
[a](architecture.md#no-such-heading)
[a](#nor-here)
see `scripts/missing.sh`
| x | [b](../scripts/test.sh) and [a](../Sources/Missing) |
as protocol §99 has it
PLANTED
    expected='docs/architecture.md: no heading is at #nor-here
docs/architecture.md: no heading is at architecture.md#no-such-heading
docs/architecture.md: nothing is at ../Sources/Missing
docs/architecture.md: nothing is at missing.md
docs/architecture.md: nothing is at scripts/missing.sh
docs/architecture.md: the protocol has no §99'
    found=$(dead_ends "$tree" | LC_ALL=C sort)
    [[ $found == "$expected" ]] ||
        fail "these dead links were planted, and not exactly these were found: $(diff <(echo "$expected") <(echo "$found"))"
    say "found all of $(wc -l <<<"$expected") planted dead links"
}

# refuse LINES: ends the script if there are any.
refuse() {
    [[ -z $1 ]] || { printf '%s\n' "$1" >&2 && fail "dead links"; }
}

case ${1-} in
"")
    dead=$(dead_ends .)
    refuse "$dead"
    ;;
/*)
    [[ -e $1/README.md && -d $1/docs ]] || fail "$1 has no README.md or no docs"
    dead=$(dead_links "$1")
    refuse "$dead"
    ;;
--self-test) self_test ;;
*) fail "usage: scripts/check-links.sh [--self-test | /DIR]" ;;
esac
