# Prints for each Swift file how many members of other files of its module it uses, as «COUNT FILE». Read as text: a member
# is a name that another file declares in a type and that stands here behind a dot. Not seen are members used without a dot or
# as `.member` alone, subscripts and initializers, and which of two members of one name is meant: it counts once, and not at
# all where this file declares that name too, or the standard library does.
# Usage: awk -f member-reach.awk FILE… FILE…, all files twice: first what they declare, then what they use.

BEGIN {
    split("allSatisfy append bytes cancel components contains count description filter first flatMap formUnion get hash index " \
        "insert isEmpty items joined keys last lowerBound map max merge min next prefix random remove removeAll removeFirst " \
        "removeLast removeValue reversed sorted split suffix subtracting union update upperBound utf8 value values withLock",
        names, " ")
    for (i in names) standard[names[i]]
}

FNR == 1 {
    split(FILENAME, part, "/")
    module = part[2]
    depth = 0
    # The second time that the first file begins, all have been declared.
    if (FILENAME == ARGV[1]) pass++
}

{
    gsub(/\\"/, "")
    gsub(/"[^"]*"/, "\"\"")
    sub(/\/\/.*/, "")
}

pass == 1 {
    if (depth && is_type[depth] && !/(^|[ )])(private|fileprivate) /) {
        rest = $0
        while (match(rest, /(^|[ )])(func|var|let) +`?[A-Za-z_][A-Za-z_0-9]*/)) {
            name = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            # A line that declares several.
            if (name ~ /(var|let) /) sub(/, /, " let ", rest)
            sub(/.*[ `]/, "", name)
            declared[module, name]
            declares[FILENAME, name]
        }
    }
    opens_type = /(^|[ )])(struct|class|enum|actor|protocol|extension) +[A-Z]/
    while (gsub(/[{][^{}]*[}]/, "")) {}
    depth -= gsub(/[}]/, "")
    if (depth < 0) depth = 0
    for (opened = gsub(/[{]/, ""); opened > 0; opened--) is_type[++depth] = opens_type
}

pass == 2 {
    while (match($0, /[A-Za-z0-9_)\]?!}\\]\.[a-z_][A-Za-z_0-9]*/)) {
        name = substr($0, RSTART + 2, RLENGTH - 2)
        # The last letter of this name may stand before the dot of the next.
        $0 = substr($0, RSTART + RLENGTH - 1)
        if (name in standard || (FILENAME, name) in declares || !((module, name) in declared)) continue
        if (!((FILENAME, name) in used)) reach[FILENAME]++
        used[FILENAME, name]
    }
}

END { for (file in reach) print reach[file], file }
