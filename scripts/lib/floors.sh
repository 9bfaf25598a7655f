# Sourced. The rules of docs/architecture.md about targets, imports, files and names of tests. Each takes the root of a
# source tree and the file with the graph of its package, and prints one line for each fault that it finds.

# What the types of each of these modules mean is known to one target only.
single_owner=(CCurl CHTTPDoubles CMosquitto CMosquittoBroker COpenSSL CPostgreSQL CSodium CSQLite CZlib)
# What a database library means is known to the targets that are named a store, and to no other, tests included.
for_stores=(GRDB GRDBSQLite)
system_modules=(Dispatch Synchronization)
pure_targets=(ParleyProtocol ParleyRules)
top_level=(Package.swift Sources Tests broker-config scripts docs README.md LICENSE)
longest_file=400
# The formatter breaks code at the same column, and leaves comments as they are.
widest_comment=120
# How many members of other files of its module a file uses at most (member-reach.awk). Those that reach furthest, to 64,
# drive a thread or a connection, or hand on every kind of event. The bound leaves them room for a few more members and is
# no aim: a file that comes near it is several, and the bound comes down with them.
widest_reach=66
# «TYPE:FOLDER»: the type knows everything that its module has, and is held in files of these folders alone. Parts declare
# what they need of it instead (decision 0067).
wholes=(ClientContext:ParleyClient/Client Writer:ParleyBridge/Gateway Writer:ParleyBridge/Ingress)
# The one target whose files ask which system they are compiled for.
platform_target=Platform
# Lines of «FROM TO»: nothing below FROM, which is a target or a product's targets, leads to TO. The gateway cannot read
# messages; an app on a system without libmosquitto links the client.
kept_apart='target:ParleyBridge ParleyCrypto
product:ParleyClient CMosquitto
product:ParleyClient MQTTClient'

# In the order in which their faults are printed. Each is a function RULE_faults ROOT GRAPH; it finds beside the graph what
# floor_faults has drawn from both, GRAPH.table and GRAPH.imported.
floor_rules=(table permission unused owner store reach member whole condition tree column name thread)

# floor_faults ROOT GRAPH [RULE…]: what is against these rules, or against all of them.
floor_faults() {
    local root=$1 graph=$2 rule
    shift 2
    (($#)) || set -- "${floor_rules[@]}"
    floor_table "$root" >"$graph.table"
    imports "$root" "$graph" >"$graph.imported"
    if ! grep -q " .* " "$graph.table"; then
        echo "docs/architecture.md: has no table of floors with the columns floor, target, what it is, may import"
        return
    fi
    for rule; do "${rule}_faults" "$root" "$graph"; done
}

# The package in the working directory, with all that may be left out of it, as lines of «target NAME KIND FOLDER», «edge
# NAME DEPENDENCY» and «product NAME TARGET».
package_graph() {
    PARLEY_POSTGRESQL_STORE=yes swift package describe --type json | jq -r '(.targets[] | "target \(.name) \(.type) \(.path)",
        "edge \(.name) \((.target_dependencies // [])[], (.product_dependencies // [])[])"),
        (.products[] | "product \(.name) \(.targets[])")'
}

# The table as lines of «FLOOR TARGET [NAME…]», the names being those that the target may import.
floor_table() {
    awk -F'|' '
        function names(cell,    all) {
            while (match(cell, /`[^`]+`/)) {
                all = all " " substr(cell, RSTART + 1, RLENGTH - 2)
                cell = substr(cell, RSTART + RLENGTH)
            }
            return all
        }
        /^\| *[0-9]+ *\|/ {
            n = split(names($3), targets, " ")
            for (i = 1; i <= n; i++) print $2 + 0, targets[i] names($5)
        }' "$1/docs/architecture.md"
}

# Lines of «TARGET MODULE FILE» for every import, however it is attributed or scoped. A file that no target compiles is
# nobody's, «-»; a hyphen in the name of a target is an underscore in that of its module.
imports() {
    (cd "$1" && find Sources Tests docs/example -name '*.swift' -exec sed -nE \
        '/^ *(@[A-Za-z_]+(\([^)]*\))? +)*((public|package|internal|fileprivate|private) +)?import +/{
            s/^.*\<import +((struct|class|enum|protocol|typealias|func|let|var) +)?([A-Za-z_0-9]+).*$/\3/
            F
            p
        }' {} +) | paste -d' ' - - | awk '
        FNR == NR && $1 == "target" { folder[$4] = $2; module = $2; gsub("-", "_", module); name[module] = $2 }
        FNR == NR { next }
        {
            for (path = $1; path && !(path in folder); ) if (!sub(/\/[^\/]*$/, "", path)) path = ""
            print path ? folder[path] : "-", $2 in name ? name[$2] : $2, $1
        }' "$2" -
}

# The table names every target, and nothing in it points up.
table_faults() {
    awk 'FNR == NR { floor[$2] = $1; for (i = 3; i <= NF; i++) allowed[$2, $i]; next }
        $1 == "target" && $3 != "test" && !($2 in floor) { print $2 ": has no row in the table of floors" }
        END {
            for (pair in allowed) {
                split(pair, name, SUBSEP)
                if (name[2] in floor && floor[name[2]] > floor[name[1]])
                    print name[1] ": the table lets floor " floor[name[1]] " import " name[2] " from above"
            }
        }' "$2.table" "$2"
}

# What a target declares or imports, its row allows; the system's modules, the pure targets do without.
permission_faults() {
    awk -v system_modules="${system_modules[*]}" -v pure_targets="${pure_targets[*]}" '
        BEGIN {
            split(pure_targets, list, " "); for (i in list) pure[list[i]]
            count = split(system_modules, modules, " ")
        }
        FILENAME == ARGV[1] {
            for (i = 3; i <= NF; i++) allowed[$2, $i]
            if (!($2 in pure)) for (i = 1; i <= count; i++) allowed[$2, modules[i]]
        }
        FILENAME == ARGV[2] && $1 == "target" { kind[$2] = $3 }
        FILENAME == ARGV[2] && $1 == "edge" && kind[$2] != "test" && !(($2, $3) in allowed) {
            print $2 ": may not depend on " $3
        }
        FILENAME == ARGV[3] && $1 in kind && kind[$1] != "test" && !(($1, $2) in allowed) {
            print $1 ": may not import " $2 " (" $3 ")"
        }' "$2.table" "$2" "$2.imported"
}

# What a target declares or its row allows, one of its files imports; tests included, which have no row.
unused_faults() {
    awk '
        FILENAME == ARGV[1] { imported[$1, $2] }
        FILENAME == ARGV[2] && $1 == "edge" && !(($2, $3) in imported) {
            print $2 ": depends on " $3 ", which none of its files imports"
        }
        FILENAME == ARGV[3] {
            for (i = 3; i <= NF; i++) if (!(($2, $i) in imported))
                print $2 ": the table lets it import " $i ", and none of its files does"
        }' "$2.imported" "$2" "$2.table"
}

# Each module with one owner is depended on by one target and imported by no other, tests included.
owner_faults() {
    awk -v single_owner="${single_owner[*]}" '
        function note(list, name) { return index(" " list " ", " " name " ") ? list : list (list ? " " : "") name }
        FILENAME == ARGV[1] && $1 == "target" { exists[$2] }
        FILENAME == ARGV[1] && $1 == "edge" { owners[$3] = note(owners[$3], $2) }
        FILENAME == ARGV[2] { importers[$2] = note(importers[$2], $1) }
        END {
            count = split(single_owner, modules, " ")
            for (i = 1; i <= count; i++) {
                name = modules[i]
                if (name in exists && !owners[name]) print name ": no target depends on it"
                if (owners[name] ~ / /) print name ": must have one owner, and has " owners[name]
                if (importers[name] ~ / /) print name ": must be imported by one target, and is by " importers[name]
            }
        }' "$2" "$2.imported"
}

# A database stays behind the targets that are named a store.
store_faults() {
    awk -v for_stores="${for_stores[*]}" '
        BEGIN { count = split(for_stores, modules, " "); for (i = 1; i <= count; i++) kept[modules[i]] }
        FILENAME == ARGV[1] && $1 == "edge" && $3 in kept && $2 !~ /Store$/ {
            print $3 ": is for stores, and " $2 " depends on it"
        }
        FILENAME == ARGV[2] && $2 in kept && $1 !~ /Store$/ { print $2 ": is for stores, and is imported by " $3 }
    ' "$2" "$2.imported"
}

# What is kept apart does not meet, by whichever way.
reach_faults() {
    awk '
        function walk(name, goal, from, path,    i) {
            if (name in seen) return
            seen[name]
            if (name == goal) print from ": reaches " goal ", by " path
            for (i = 1; i <= degree[name]; i++) walk(below[name, i], goal, from, path " → " below[name, i])
        }
        FILENAME == ARGV[1] && $1 == "target" { exists[$2] }
        FILENAME == ARGV[1] && $1 == "edge" { below[$2, ++degree[$2]] = $3 }
        FILENAME == ARGV[1] && $1 == "product" { parts[$2, ++size[$2]] = $3 }
        FILENAME == ARGV[2] {
            split($1, from, ":")
            if (!($2 in exists)) print from[2] ": is to be kept from " $2 ", and there is no such target"
            if (from[1] == "target") { parts[from[2], 1] = from[2]; size[from[2]] = from[2] in exists }
            if (!size[from[2]]) print from[2] ": is to be kept from " $2 ", and there is no such " from[1]
            split("", seen)
            for (i = 1; i <= size[from[2]]; i++) walk(parts[from[2], i], $2, from[2], parts[from[2], i])
        }' "$2" - <<<"$kept_apart"
}

# No file uses more members of others than it can be read with.
member_faults() {
    local rule=$PWD/scripts/lib/member-reach.awk files
    (cd "$1" && mapfile -t files < <(find Sources -name '*.swift') && awk -f "$rule" "${files[@]}" "${files[@]}") |
        awk -v widest="$widest_reach" '
            $1 > widest { print $2 ": uses " $1 " members of other files, and may use " widest }'
}

# What knows everything is held where it is put together or driven, and by no part.
whole_faults() {
    (cd "$1" && find Sources -name '*.swift' -exec awk -v wholes="${wholes[*]}" '
        BEGIN {
            count = split(wholes, list, " ")
            for (i = 1; i <= count; i++) { split(list[i], pair, ":"); whole[pair[1]]; allowed[pair[1], pair[2]] }
        }
        /(^|[ {])(let|var) / {
            split(FILENAME, part, "/")
            for (type in whole) if ($0 ~ ": " type "([ ,}]|$)" && !((type, part[2] "/" part[3]) in allowed))
                print FILENAME ":" FNR ": holds a " type ", and is to declare what it needs of it"
        }' {} +)
}

# Which system there is, one target asks; to the others it looks the same.
condition_faults() {
    (cd "$1" && find Sources -name '*.swift' -not -path "Sources/$platform_target/*" -exec awk -v owner="$platform_target" '
        /^ *#(if|elseif) .*(canImport|os|arch|targetEnvironment) *\(/ {
            print FILENAME ": asks for the system it is compiled for (" $0 "), which is for " owner
        }' {} +)
}

# Nothing lies about at the top, no file is too long, no folder is named after a kind of type.
tree_faults() {
    local root=$1 entry name
    for entry in "$root"/*; do
        name=${entry##*/}
        [[ " ${top_level[*]} " == *" $name "* ]] || git -C "$root" check-ignore -q "$name" 2>/dev/null ||
            echo "$name: does not belong at the top of the repository"
    done
    (cd "$root" && find Sources Tests scripts -type f -exec awk -v longest="$longest_file" '
        FNR == longest + 1 { print FILENAME ": has more than " longest " lines" }' {} +)
    (cd "$root" && find Sources Tests -type d \( -name Models -o -name Handlers -o -name Managers -o -name Utils \) \
        -printf '%p: a folder is named after a capability, not after a kind of type\n')
}

# No comment of Swift is wider than code may be.
column_faults() {
    (cd "$1" && export LC_ALL=C.UTF-8 && { grep -rnE --include='*.swift' '^ *//.{80}' Sources Tests Package.swift || true; } |
        { grep -E "^[^:]+:[0-9]+:.{$((widest_comment + 1))}" || true; } |
        sed -E "s/^([^:]+:[0-9]+):.*/\\1: a comment has more than $widest_comment columns/")
}

# What a test with threads of its own starts is on them, too: a bare task would be on those of all other tests.
thread_faults() {
    (cd "$1" && find Tests -name '*.swift' -exec awk '
        FNR == 1 { owns = FILENAME ~ /^Tests\/(Integration|Adversaries\/LyingGatewayTests|Support\/TestSupport)\//; bare = "" }
        /\.ownThreads/ { owns = 1; if (bare) printf "%s", bare; bare = "" }
        /(^|[^A-Za-z_.])Task(\.detached)?( *\([^)]*\))? *[{]/ && !/executorPreference/ {
            found = FILENAME ":" FNR ": a task is not on the threads of its test: taskOnOwnThreads, or a child task\n"
            if (owns) printf "%s", found; else bare = bare found
        }' {} +)
}

# Tests are named in one form: @Test("a sentence") func shortName, and suites alike.
name_faults() {
    (cd "$1" && find Tests -name '*.swift' -exec awk '
        function fault(what) { print FILENAME ":" FNR ": " what }
        FNR == 1 { open = 0 }
        open && NF { if ($1 !~ /^"/) fault("a test or suite begins with its sentence"); open = 0 }
        /^ *@(Test|Suite)\($/ { open = 1; next }
        /^ *@(Test|Suite)($|[^A-Za-z(])/ || /^ *@(Test|Suite)\([^"]/ { fault("a test or suite has a sentence") }
        /func `[^`]* [^`]*`/ { fault("a test has a short name beside its sentence") }' {} +)
}
