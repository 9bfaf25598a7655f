#!/usr/bin/env bash
# Shows what an app has to resolve to link the client: the files of the working directory become a package of version 0.1.0
# in a repository of its own, and an app depends on it by URL and version.
# Usage: scripts/test-client-package.sh [--build]
#   --build  also builds docs/example as that app, which compiles the client anew
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/toolchain.sh"

build=no
case ${1-} in
"") ;;
--build) build=yes ;;
-h | --help) sed -n '2,5s/^# //p' "$0" && exit ;;
*) fail "there is no option $1; see scripts/test-client-package.sh --help" ;;
esac

need_swift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# release FOLDER VERSION: makes the folder a repository whose only commit is tagged so.
release() {
    local git=(git -C "$1" -c user.name=release -c user.email=release@example.org -c commit.gpgsign=false)
    git init --quiet "$1" && "${git[@]}" add . && "${git[@]}" commit --quiet -m "$2" && "${git[@]}" tag "$2"
}

# app NAME TRAITS [DEPENDENCY…]: an app's package with the released client and these packages.
app() {
    local folder=$scratch/$1 traits=$2 dependencies
    shift 2
    mkdir -p "$folder/Sources"
    cp -r "$root/docs/example" "$folder/Sources/App"
    dependencies=$(printf ', %s' "$@")
    cat >"$folder/Package.swift" <<-END
	// swift-tools-version: 6.2
	import PackageDescription
	let package = Package(
	    name: "App",
	    dependencies: [.package(url: "file://$scratch/parley", from: "0.1.0"$traits)${dependencies%, }],
	    targets: [
	        .executableTarget(
	            name: "App",
	            dependencies: ["ParleyClient", "ParleyMosquitto"].map { .product(name: \$0, package: "parley") })
	    ])
	END
}

# resolved NAME: the packages of an app, each with its version, sorted by name.
resolved() {
    swift package --package-path "$scratch/$1" resolve >"$scratch/log" 2>&1 || return 1
    jq -r '.pins[] | .identity + " " + .state.version' "$scratch/$1/Package.resolved" | LC_ALL=C sort
}

# expect WHAT FOUND EXPECTED
expect() { [[ $2 == "$3" ]] || fail "$1: resolved are"$'\n'"$2"$'\n'"and expected"$'\n'"$3"; }

mkdir "$scratch/parley"
# What is removed and not committed yet is listed, too.
(cd "$root" && git ls-files -coz --exclude-standard | while IFS= read -r -d '' file; do
    [[ ! -e $file ]] || printf '%s\0' "$file"
done | tar -c --null -T -) | tar -xC "$scratch/parley"
release "$scratch/parley" 0.1.0

app lean ', traits: []'
lean=$(resolved lean) || { cat "$scratch/log" >&2 && fail "an app with the client alone does not resolve"; }
expect "an app with the client alone" "$(cut -d " " -f 1 <<<"$lean")" $'grdb.swift\nparley'
say "an app that links the client resolves: ${lean//$'\n'/, }"

app nio ', traits: ["NIO"]'
nio=$(resolved nio) || { cat "$scratch/log" >&2 && fail "an app with the transport of SwiftNIO does not resolve"; }
expect "an app with the transport of SwiftNIO" "$(cut -d " " -f 1 <<<"$nio")" \
    $'grdb.swift\nparley\nswift-atomics\nswift-collections\nswift-nio\nswift-system'

app whole ''
whole=$(resolved whole) || { cat "$scratch/log" >&2 && fail "an app with the package's default traits does not resolve"; }
say "with the gateway's trait it would resolve $(wc -l <<<"$whole") packages"
[[ $whole == *swift-nio* ]] || fail "the gateway's packages are not behind its trait: $whole"

# A server has its own version of what the gateway pins.
mkdir -p "$scratch/swift-log/Sources/Logging"
cat >"$scratch/swift-log/Package.swift" <<'END'
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "swift-log", products: [.library(name: "Logging", targets: ["Logging"])], targets: [.target(name: "Logging")])
END
echo 'public let isAnother = true' >"$scratch/swift-log/Sources/Logging/Logging.swift"
release "$scratch/swift-log" 1.999.0
other=".package(url: \"file://$scratch/swift-log\", exact: \"1.999.0\")"
app server ', traits: []' "$other"
server=$(resolved server) || { cat "$scratch/log" >&2 && fail "a server with another version of swift-log does not resolve"; }
expect "a server with another swift-log" "$server" "$lean"$'\n'"swift-log 1.999.0"
app pinned '' "$other"
! resolved pinned >/dev/null || fail "the gateway's trait does not pin swift-log, so that this shows nothing"

[[ $build == yes ]] || exit 0
say "building docs/example as an app"
swift build --package-path "$scratch/lean" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2 && fail "the app does not build"; }
status=0
"$scratch/lean/.build/debug/App" 2>"$scratch/usage" || status=$?
[[ $status == 2 ]] && grep -q '^usage: ' "$scratch/usage" || fail "the app does not say its usage"
