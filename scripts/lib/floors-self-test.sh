# Sourced after floors.sh. Shows that each of its rules finds its fault, by planting it.

# floors_self_test SCRATCH: SCRATCH/graph is the graph of the package in the working directory.
floors_self_test() {
    local scratch=$1 tree=$1/tree graph=$1/planted planted=0 found target form laid=()
    local -A shown=()
    mkdir "$tree"
    cp -r Package.swift Sources Tests docs scripts "$tree"
    take_back
    found=$(floor_faults "$tree" "$graph")
    [[ -z $found ]] || fail "the tree must be without faults before any can be planted: $found"

    depend MQTTClient ParleyStore; expect permission 'MQTTClient: may not depend on ParleyStore'
    depend ParleyRules GRDB; expect permission 'ParleyRules: may not depend on GRDB'
    depend ParleyBridge ParleyCrypto; expect reach 'ParleyBridge: reaches ParleyCrypto, by ParleyBridge → ParleyCrypto'
    depend ParleyStore ParleyCrypto; expect reach 'by ParleyBridge → ParleyStore → ParleyCrypto'
    depend ParleyClient MQTTClient; expect reach 'ParleyClient: reaches CMosquitto, by ParleyClient → MQTTClient → CMosquitto'
    depend ParleyDeviceStore ParleyMosquitto; expect reach 'ParleyClient: reaches MQTTClient, by '
    echo 'product ParleyClient ParleyMosquitto' >>"$graph"; expect reach 'ParleyClient: reaches CMosquitto, by ParleyMosquitto → '
    sed -i '/^product ParleyClient /d' "$graph"
    expect reach 'ParleyClient: is to be kept from CMosquitto, and there is no such product'
    sed -i 's/^target CMosquitto /target Renamed /' "$graph"
    expect reach 'ParleyClient: is to be kept from CMosquitto, and there is no such target'
    depend ParleyStoreTests GRDB; expect store 'GRDB: is for stores, and ParleyStoreTests depends on it'
    depend ParleyBridge CSodium; expect owner 'CSodium: must have one owner, and has '
    sed -i '/^edge Sodium /d' "$graph"; expect owner 'CSodium: no target depends on it'
    echo 'target Extra library Sources/Extra' >>"$graph"; expect table 'Extra: has no row in the table of floors'
    depend ParleyClient ParleyStore
    expect unused 'ParleyClient: depends on ParleyStore, which none of its files imports'
    depend ParleyStoreTests ParleyBridge
    expect unused 'ParleyStoreTests: depends on ParleyBridge, which none of its files imports'
    allow MQTTClient Logging; expect unused 'MQTTClient: the table lets it import Logging, and none of its files does'

    for target in ParleyProtocol ParleyRules MQTTClient Sodium ParleyBrokerPlugin; do
        source_file "$target" 'import Foundation'; expect permission "$target: may not import Foundation"
    done
    for form in 'public import GRDB' '@testable import GRDB' '@_spi(Inner) @preconcurrency import GRDB' \
        'import struct GRDB.Row' '    import GRDB  // why'; do
        source_file ParleyBridge "$form"; expect permission 'ParleyBridge: may not import GRDB'
    done
    lay Tests/Support/Launch/Planted.swift 'import Logging'; expect permission 'Launch: may not import Logging'
    source_file ParleyClient 'import GRDB'; expect store 'GRDB: is for stores, and is imported by Sources/ParleyClient/'
    for target in ParleyRules MQTTClient ParleyClient PrivateFiles parley; do
        source_file "$target" 'import Glibc'; expect permission "$target: may not import Glibc"
    done
    source_file ParleyClient '    import Darwin'; expect permission 'ParleyClient: may not import Darwin'
    for form in '#if canImport(Glibc)' '    #elseif os(macOS)' '#if DEBUG && !canImport( Darwin)'; do
        source_file ParleyClient "$form"; expect condition 'Sources/ParleyClient/Planted.swift: asks for the system'
    done
    source_file Sodium 'import CSodium'
    source_file MQTTClient 'import CSodium'
    expect owner 'CSodium: must be imported by one target, and is by '

    source_file ParleyClient "struct Part { let context: ClientContext }"
    expect whole 'Sources/ParleyClient/Planted.swift:1: holds a ClientContext'
    source_file ParleyBridge "    private let writer: Writer"
    expect whole 'Sources/ParleyBridge/Planted.swift:1: holds a Writer'
    source_file ParleyRules "$(planted_reach declare)"
    lay Sources/ParleyRules/User.swift "$(planted_reach use)"
    expect member "Sources/ParleyRules/User.swift: uses $((widest_reach + 1)) members of other files"

    lay Leftover ''; expect tree 'Leftover: does not belong at the top'
    mkdir "$tree/Sources/ParleyRules/Utils"; laid+=(Sources/ParleyRules/Utils); expect tree 'Sources/ParleyRules/Utils: a folder is named after'
    lay Tests/Long.swift "$(seq $((longest_file + 1)))"; expect tree 'Tests/Long.swift: has more than'
    source_file ParleyRules "    /// $(printf 'é%.0s' {1..113})"; expect column 'ParleyRules/Planted.swift:1: a comment has more than'
    test_file '    @Test func short() {}'; expect name 'Tests/Planted.swift:1: a test or suite has a sentence'
    test_file '@Suite struct PlantedTests {'; expect name 'Tests/Planted.swift:1: a test or suite has a sentence'
    test_file '@Test(arguments: 0..<2)'; expect name 'Tests/Planted.swift:1: a test or suite has a sentence'
    test_file '@Test(' '    .seeded,'; expect name 'Tests/Planted.swift:2: a test or suite begins with its sentence'
    test_file '@Test("it is so")' 'func `it is so`() {}'
    expect name 'Tests/Planted.swift:2: a test has a short name beside its sentence'
    for form in 'let one = Task { 1 }' 'Task.detached { 1 }' '_ = Task(priority: .high) { 1 }'; do
        test_file '@Suite("It waits", .ownThreads)' "$form"
        expect thread 'Tests/Planted.swift:2: a task is not on the threads of its test'
    done
    edit_table 's/^| 2 | `ParleyRules` .*/| 2 | `ParleyRules` | | `ParleyStore` |/'
    expect table 'ParleyRules: the table lets floor 2 import ParleyStore from above'
    edit_table "s/ may import |$//; s/^\(| [0-9] .*\)|[^|]*|$/\1|/"; expect table "has no table of floors"
    [[ $(printf '%s\n' "${floor_rules[@]}" | sort) == "$(printf '%s\n' "${!shown[@]}" | sort)" ]] ||
        fail "the rules are ${floor_rules[*]}, and faults were planted against ${!shown[*]}"
    say "found all of $planted planted faults"
}

# lay PATH LINE…: the tree has a file there that holds these lines.
lay() {
    laid+=("$1")
    printf '%s\n' "${@:2}" >"$tree/$1"
}

# edit_table SCRIPT: the page with the table of floors is as sed makes it.
edit_table() {
    laid+=(docs/architecture.md)
    sed -i "$1" "$tree/docs/architecture.md"
}

# The tree and its graph are as they were before anything was planted.
take_back() {
    local path
    for path in "${laid[@]}"; do
        rm -rf "${tree:?}/$path"
        [[ ! -e $path ]] || cp "$path" "$tree/$path"
    done
    laid=()
    cp "$scratch/graph" "$graph"
}

# depend TARGET MODULE: the graph has it that TARGET depends on MODULE.
depend() { echo "edge $1 $2" >>"$graph"; }

# allow TARGET MODULE: the table's row of TARGET names MODULE too.
allow() { edit_table "/^| [0-9] | \`$1\` /s/ |\$/, \`$2\` |/"; }

# source_file TARGET LINE: TARGET has a source file that holds LINE.
source_file() { lay "Sources/$1/Planted.swift" "$2"; }

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
test_file() { lay Tests/Planted.swift "$@"; }

# expect RULE TEXT: the rule finds the planted fault, in these words, which is then taken back.
expect() {
    found=$(floor_faults "$tree" "$graph" "$1")
    [[ $found == *"$2"* ]] || fail "a planted fault was not found: expected «$2», found «$found»"
    planted=$((planted + 1)) shown[$1]=yes
    take_back
}
