# Sourced after floors.sh. Shows that each of its rules finds its fault, by planting it.

# floors_self_test SCRATCH: SCRATCH/graph is the graph of the package in the working directory.
floors_self_test() {
    local scratch=$1 tree=$1/tree graph=$1/planted planted=0 found target form
    plant
    found=$(floor_faults "$tree" "$graph")
    [[ -z $found ]] || fail "the tree must be without faults before any can be planted: $found"

    depend MQTTClient ParleyStore; expect 'MQTTClient: may not depend on ParleyStore'
    depend ParleyRules GRDB; expect 'ParleyRules: may not depend on GRDB'
    depend ParleyBridge ParleyCrypto; expect 'ParleyBridge: reaches ParleyCrypto, by ParleyBridge → ParleyCrypto'
    depend ParleyStore ParleyCrypto; expect 'by ParleyBridge → ParleyStore → ParleyCrypto'
    depend ParleyClient MQTTClient; expect 'ParleyClient: reaches CMosquitto, by ParleyClient → MQTTClient → CMosquitto'
    depend ParleyDeviceStore ParleyMosquitto; expect 'ParleyClient: reaches MQTTClient, by '
    echo 'product ParleyClient ParleyMosquitto' >>"$graph"; expect 'ParleyClient: reaches CMosquitto, by ParleyMosquitto → '
    sed -i '/^product ParleyClient /d' "$graph"
    expect 'ParleyClient: is to be kept from CMosquitto, and there is no such product'
    sed -i 's/^target CMosquitto /target Renamed /' "$graph"
    expect 'ParleyClient: is to be kept from CMosquitto, and there is no such target'
    depend ParleyStoreTests GRDB; expect 'GRDB: is for stores, and ParleyStoreTests depends on it'
    depend ParleyBridge CSodium; expect 'CSodium: must have one owner, and has '
    sed -i '/^edge Sodium /d' "$graph"; expect 'CSodium: no target depends on it'
    echo 'target Extra library Sources/Extra' >>"$graph"; expect 'Extra: has no row in the table of floors'
    depend ParleyClient ParleyStore
    expect 'ParleyClient: depends on ParleyStore, which none of its files imports'
    depend ParleyStoreTests ParleyBridge
    expect 'ParleyStoreTests: depends on ParleyBridge, which none of its files imports'
    allow MQTTClient Logging; expect 'MQTTClient: the table lets it import Logging, and none of its files does'

    for target in ParleyProtocol ParleyRules MQTTClient Sodium ParleyBrokerPlugin; do
        source_file "$target" 'import Foundation'; expect "$target: may not import Foundation"
    done
    for form in 'public import GRDB' '@testable import GRDB' '@_spi(Inner) @preconcurrency import GRDB' \
        'import struct GRDB.Row' '    import GRDB  // why'; do
        source_file ParleyBridge "$form"; expect 'ParleyBridge: may not import GRDB'
    done
    printf 'import Logging\n' >"$tree/Tests/Support/Launch/Planted.swift"; expect 'Launch: may not import Logging'
    source_file ParleyClient 'import GRDB'; expect 'GRDB: is for stores, and is imported by Sources/ParleyClient/'
    for target in ParleyRules MQTTClient ParleyClient PrivateFiles parley; do
        source_file "$target" 'import Glibc'; expect "$target: may not import Glibc"
    done
    source_file ParleyClient '    import Darwin'; expect 'ParleyClient: may not import Darwin'
    for form in '#if canImport(Glibc)' '    #elseif os(macOS)' '#if DEBUG && !canImport( Darwin)'; do
        source_file ParleyClient "$form"; expect 'Sources/ParleyClient/Planted.swift: asks for the system'
    done
    source_file Sodium 'import CSodium'
    source_file MQTTClient 'import CSodium'
    expect 'CSodium: must be imported by one target, and is by '

    source_file ParleyClient "struct Part { let context: ClientContext }"
    expect 'Sources/ParleyClient/Planted.swift:1: holds a ClientContext'
    source_file ParleyBridge "    private let writer: Writer"
    expect 'Sources/ParleyBridge/Planted.swift:1: holds a Writer'
    source_file ParleyRules "$(planted_reach declare)"
    planted_reach use >"$tree/Sources/ParleyRules/User.swift"
    expect "Sources/ParleyRules/User.swift: uses $((widest_reach + 1)) members of other files"

    mkdir "$tree/Leftover"; expect 'Leftover: does not belong at the top'
    mkdir "$tree/Sources/ParleyRules/Utils"; expect 'Sources/ParleyRules/Utils: a folder is named after'
    seq $((longest_file + 1)) >"$tree/Tests/Long.swift"; expect 'Tests/Long.swift: has more than'
    source_file ParleyRules "    /// $(printf 'é%.0s' {1..113})"; expect 'ParleyRules/Planted.swift:1: a comment has more than'
    test_file '    @Test func short() {}'; expect 'Tests/Planted.swift:1: a test or suite has a sentence'
    test_file '@Suite struct PlantedTests {'; expect 'Tests/Planted.swift:1: a test or suite has a sentence'
    test_file '@Test(arguments: 0..<2)'; expect 'Tests/Planted.swift:1: a test or suite has a sentence'
    test_file '@Test(' '    .seeded,'; expect 'Tests/Planted.swift:2: a test or suite begins with its sentence'
    test_file '@Test("it is so")' 'func `it is so`() {}'
    expect 'Tests/Planted.swift:2: a test has a short name beside its sentence'
    for form in 'let one = Task { 1 }' 'Task.detached { 1 }' '_ = Task(priority: .high) { 1 }'; do
        test_file '@Suite("It waits", .ownThreads)' "$form"
        expect 'Tests/Planted.swift:2: a task is not on the threads of its test'
    done
    sed -i 's/^| 2 | `ParleyRules` .*/| 2 | `ParleyRules` | | `ParleyStore` |/' "$tree/docs/architecture.md"
    expect 'ParleyRules: the table lets floor 2 import ParleyStore from above'
    sed -i "s/ may import |$//; s/^\(| [0-9] .*\)|[^|]*|$/\1|/" "$tree/docs/architecture.md"; expect "has no table of floors"
    say "found all of $planted planted faults"
}

# A fresh copy of the tree and of its graph, without a fault of its own.
plant() {
    rm -rf "$tree"
    mkdir "$tree"
    cp -r Package.swift Sources Tests docs scripts "$tree"
    cp "$scratch/graph" "$graph"
}

# depend TARGET MODULE: the graph has it that TARGET depends on MODULE.
depend() { echo "edge $1 $2" >>"$graph"; }

# allow TARGET MODULE: the table's row of TARGET names MODULE too.
allow() { sed -i "/^| [0-9] | \`$1\` /s/ |\$/, \`$2\` |/" "$tree/docs/architecture.md"; }

# source_file TARGET LINE: TARGET has a source file that holds LINE.
source_file() { printf '%s\n' "$2" >"$tree/Sources/$1/Planted.swift"; }

# planted_reach declare|use: one member more than a file may use.
planted_reach() {
    local number
    [[ $1 == use ]] || echo 'struct Planted {'
    for ((number = 0; number <= widest_reach; number++)); do
        if [[ $1 == use ]]; then echo "    use(planted.member$number)"; else echo "    let member$number: Int"; fi
    done
    [[ $1 == use ]] || echo '}'
}

# test_file LINE…: there is a file of tests that holds these lines.
test_file() { printf '%s\n' "$@" >"$tree/Tests/Planted.swift"; }

# expect TEXT: the planted fault is found, in these words; the next one is planted in a fresh copy.
expect() {
    found=$(floor_faults "$tree" "$graph")
    [[ $found == *"$1"* ]] || fail "a planted fault was not found: expected «$1», found «$found»"
    planted=$((planted + 1))
    plant
}
