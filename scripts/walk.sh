#!/usr/bin/env bash
# Builds the gateway with coverage, has one message after the other sent through it, and prints the files that do
# something for each: what docs/architecture.md says of one message is compared with it.
# Usage: scripts/walk.sh [--no-install] [--build | --write]
#   --no-install  says which packages are missing and stops, even for root
#   --build       builds, and sends nothing
#   --write       writes the files into docs/architecture.md
# Standard output gets the files. The status is 1 if the page names others. On a machine that is busy with something else the
# broker does at each message what it does a hundred times a second otherwise, and that shows.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"

install=yes
[[ ${1-} != --no-install ]] || { install=no && shift; }
case ${1-} in
-h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
esac
need_swift
# llvm-cov is with the compiler, whose form of profiles no other reads; the broker is in /usr/sbin, which only root has in PATH.
PATH=$(dirname "$(readlink -f "$(command -v swift)")"):$PATH:/usr/sbin
need_packages "$install" "${build_packages[@]}" "${run_packages[@]}" python3
say "building parleyd and the broker's plugin with coverage"
log=$(mktemp)
trap 'stop_build; rm -f "$log"' EXIT
for product in parleyd ParleyBrokerPlugin; do
    build_quietly "$log" "$product with coverage" "${swift_flags[@]}" --scratch-path "$root/.build/walk" \
        --product "$product" -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping
done
[[ ${1-} != --build ]] || exit 0
export PARLEY_PRODUCTS=$root/.build/walk/debug PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/Tests/Adversaries/Siege
python3 "$root/Tests/Support/Walk/walk.py" "$@"
