#!/usr/bin/env bash
# Makes Debian packages: parley-gateway, which is the broker's plugin, parleyd, the web door and their services; and parley,
# the command-line tool. The programs carry Swift's runtime, so that a machine needs Debian's packages and nothing else.
# Usage: scripts/package.sh [--output DIR] [--no-install]
#   --output DIR  where to (default: .build/packages)
#   --no-install  says which packages are missing and stops, even for root
# Standard output gets the path of each package. What is made depends on the commit, the compiler and this directory's path
# alone; times in it are those of the commit, or SOURCE_DATE_EPOCH. It is the build of run.sh and bench.sh, but with
# PostgreSQL: parleyd is built anew where the last one was without.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$root/scripts/lib/say.sh"
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/toolchain.sh"
. "$root/scripts/lib/build.sh"

output=$root/.build/packages install=yes
while (($#)); do
    case $1 in
    -h | --help) sed -n '2,/^set /s/^# //p' "$0" && exit ;;
    --no-install) install=no && shift && continue ;;
    --output) [[ -n ${2-} ]] || fail "$1 needs a value" ;;
    *) fail "there is no option $1; see scripts/package.sh --help" ;;
    esac
    output=$2
    shift 2
done
output=$(realpath -m -- "$output")

need_swift
need_packages "$install" "${build_packages[@]}" "${postgresql_build_packages[@]}" "${package_packages[@]}"
version=$(sed -nE 's/.*parleyVersion = "([^"]+)".*/\1/p' "$root/Sources/ParleyProtocol/Version.swift")
[[ $version =~ ^[0-9][0-9A-Za-z.+~]*$ ]] || fail "«$version» in Sources/ParleyProtocol/Version.swift is no version of a package"
architecture=$(dpkg --print-architecture)
# Dirty trees are packaged too, with the time of what they began from.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC PARLEY_POSTGRESQL_STORE=yes
umask 022

scratch=$(mktemp -d)
trap 'stop_build; rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# program FILE PATH: one that was built, without what only debuggers read and without paths of this machine.
program() {
    install -D "$binaries/$1" "$tree/$2"
    chrpath --delete "$tree/$2" >/dev/null 2>&1 || true
    strip --strip-unneeded "$tree/$2"
    ! readelf -d "$tree/$2" | grep -F 'NEEDED' | grep -iE 'swift|foundation' >&2 || fail "$2 does not carry Swift's runtime"
    local path
    path=$(readelf -d "$tree/$2" | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2/p')
    [[ -z $path ]] || fail "$2 looks for libraries in $path"
}

# file FROM PATH
file() { install -D -m 644 "$root/$1" "$tree/$2"; }

# manual PROGRAM SECTION [FILE WHAT]…: a page from the program's own help.
manual() {
    local name=$1 section=$2 date
    shift 2
    date=$(date -d "@$SOURCE_DATE_EPOCH" +%F)
    mkdir -p "$tree/usr/share/man/man$section"
    "$binaries/$name" --experimental-dump-help |
        jq -r --arg section "$section" --arg version "$version" --arg date "$date" \
            --argjson files "$(jq -n '[$ARGS.positional | _nwise(2)]' --args -- "$@")" -f "$root/scripts/debian/manual.jq" |
        gzip -9n >"$tree/usr/share/man/man$section/$name.$section.gz"
}

# completion SHELL PATH
completion() {
    mkdir -p "$(dirname "$tree/$2")"
    # bash takes completions for names of files and shows what is behind the last slash: devices without their users.
    "$binaries/parley" "--generate-completion-script=$1" |
        sed -E 's/^( *)(__parley_add_completions -W "\$\(__parley_custom_complete )/\1compopt +o filenames\n\1\2/' >"$tree/$2"
}

# documents PACKAGE: the license, those of what is in the programs, and what has changed.
documents() {
    local folder=usr/share/doc/$1 license name
    file scripts/debian/copyright "$folder/copyright"
    for license in "$root"/.build/checkouts/*/{LICENSE,NOTICE}*; do
        [[ -f $license ]] || continue
        name=$(basename "$(dirname "$license")")
        install -D -m 644 "$license" "$tree/$folder/licenses/$name-$(basename "$license")"
    done
    printf '%s (%s) unstable; urgency=medium\n\n  * Commit %s.\n\n -- The Parley maintainers <maintainers@parley.invalid>  %s\n' \
        "$1" "$version" "$(git -C "$root" rev-parse HEAD)" "$(date -R -d "@$SOURCE_DATE_EPOCH")" |
        gzip -9n >"$tree/$folder/changelog.gz"
}

# libraries FILE…: what Debian calls the packages of the libraries that programs load, with the versions they need.
libraries() {
    local substitutions=$scratch/substitutions
    mkdir -p "$scratch/shlibdeps/debian"
    printf 'Source: parley\n\nPackage: parley\nArchitecture: any\n' >"$scratch/shlibdeps/debian/control"
    # A library that belongs to no package ends it. That the plugin's functions of the broker are in no library is meant.
    (cd "$scratch/shlibdeps" && dpkg-shlibdeps -O --warnings=0 "$@") >"$substitutions" 2>"$scratch/log" ||
        { cat "$scratch/log" >&2 && fail "the programs do not load Debian's libraries alone"; }
    sed -n 's/^shlibs:Depends=//p' "$substitutions"
}

# package NAME PROGRAM…: what is in the tree, with the libraries that the programs in it load.
package() {
    local name=$1 size script path
    shift
    documents "$name"
    mkdir -p "$tree/DEBIAN"
    size=$(du -k --apparent-size -s "$tree" | cut -f 1)
    sed "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/; s/@LIBRARIES@/$(libraries "${@/#/"$tree/"}")/" \
        "$root/scripts/debian/$name/control" >"$tree/DEBIAN/control"
    for script in conffiles postinst prerm postrm; do
        [[ ! -e $root/scripts/debian/$name/$script ]] || cp "$root/scripts/debian/$name/$script" "$tree/DEBIAN/"
    done
    chmod -R u=rwX,go=rX "$tree"
    (cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs -d '\n' md5sum) >"$scratch/sums"
    install -m 644 "$scratch/sums" "$tree/DEBIAN/md5sums"
    find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    path=$output/${name}_${version}_$architecture.deb
    # One thread, since how xz divides its work shows. The usual level takes four times as long for a sixth of the size.
    dpkg-deb --root-owner-group -Zxz -z1 --threads-max=1 --build "$tree" "$scratch/package.deb" >/dev/null
    mv "$scratch/package.deb" "$path"
    printf '%s\n' "$path"
}

build_release "$root" ParleyBrokerPlugin parleyd parley-web parley
for program in parleyd parley; do
    # As Package.swift asks for it, or a user's zone would be none.
    nm "$binaries/$program" 2>/dev/null | grep -F 12_TimeZoneICUCN >/dev/null || fail "$program would know no time zones"
done
readelf -d "$binaries/parleyd" | grep -F 'NEEDED' | grep -F 'libpq' >/dev/null || fail "parleyd was built without PostgreSQL"
mkdir -p "$output"

tree=$scratch/parley-gateway
program parleyd usr/bin/parleyd
program parley-web usr/bin/parley-web
program libParleyBrokerPlugin.so usr/lib/parley/libParleyBrokerPlugin.so
chmod -x "$tree/usr/lib/parley/libParleyBrokerPlugin.so"
manual parleyd 8 /etc/parley/gateway.conf "The programs' options, as the services give them." \
    /var/lib/parley "The service's data directory: keys, settings, messages."
manual parley-web 8 /etc/parley/gateway.conf "The programs' options, as the services give them." \
    /usr/share/parley/page "The page that the service serves."
for unit in parley-broker.service parleyd.service parley-web.service parley-backup.service parley-backup.timer; do
    file "scripts/debian/parley-gateway/$unit" "usr/lib/systemd/system/$unit"
done
file scripts/debian/parley-gateway/sysusers.conf usr/lib/sysusers.d/parley.conf
file scripts/debian/parley-gateway/gateway.conf etc/parley/gateway.conf
file broker-config/production.conf etc/parley/broker.conf
file broker-config/haproxy.cfg etc/parley/haproxy.cfg
file broker-config/development.conf usr/share/doc/parley-gateway/examples/development.conf
file README.md usr/share/doc/parley-gateway/README.md
mkdir -p "$tree/usr/share/parley"
cp -r "$root/Sources/WebPage" "$tree/usr/share/parley/page"
# Whole, since pages link to each other and to README.md.
cp -r "$root/docs" "$tree/usr/share/doc/parley-gateway/"
find "$tree/usr/share/doc/parley-gateway/docs" -name __pycache__ -prune -exec rm -r {} +
package parley-gateway usr/bin/parleyd usr/bin/parley-web usr/lib/parley/libParleyBrokerPlugin.so

tree=$scratch/parley
program parley usr/bin/parley
manual parley 1 DIR/endpoint.json "Where the gateway of a data directory is." \
    DIR/devices/UID/DID/ "What belongs to a device: its token, its keys, its messages."
completion bash usr/share/bash-completion/completions/parley
completion zsh usr/share/zsh/vendor-completions/_parley
completion fish usr/share/fish/vendor_completions.d/parley.fish
package parley usr/bin/parley
