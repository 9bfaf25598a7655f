/// Reads a container of text that a `JSONScanner` has accepted, without checks, and only as far as its caller asks.
///
/// Text that was not scanned is read as far as it is JSON, within its bounds: what the gateway wrote needs no scan.
package struct JSONWalker {
    private var lexer: JSONLexer

    /// - Parameter range: of the container, brackets included.
    package init(_ range: Range<Int>) { lexer = JSONLexer(range) }

    /// The next member of an object, its key as in the text; `nil` after the last.
    mutating func nextMember(_ bytes: Span<UInt8>) -> JSONMember? {
        guard let key = keyBeforeValue(bytes) else { return nil }
        let (kind, value) = skipValue(bytes)
        return JSONMember(key: key, kind: kind, value: value)
    }

    /// The key of the next member of an object, as in the text and without its quotes; `nil` after the last. The value
    /// is next, to be skipped or walked.
    package mutating func nextKey(_ bytes: Span<UInt8>) -> Range<Int>? { keyBeforeValue(bytes)?.range }

    /// Skips the value at the position, and returns its place.
    package mutating func skipValue(_ bytes: Span<UInt8>) -> (kind: JSONKind, place: Range<Int>) {
        let start = lexer.position
        let kind = lexer.skipValue(bytes)
        return (kind, start..<lexer.position)
    }

    /// A walker of the container at the position, which this one has not skipped.
    package var inner: JSONWalker { JSONWalker(lexer.position..<max(lexer.position, lexer.end)) }

    private mutating func keyBeforeValue(_ bytes: Span<UInt8>) -> JSONKey? {
        guard skipToNext(UInt8(ascii: "}"), bytes) else { return nil }
        let keyStart = lexer.position + 1
        guard let isEscaped = try? lexer.string(bytes) else { return nil }
        let key = JSONKey(range: keyStart..<(lexer.position - 1), isEscaped: isEscaped)
        lexer.skipWhitespace(bytes)
        guard lexer.skip(UInt8(ascii: ":"), bytes) else { return nil }
        lexer.skipWhitespace(bytes)
        return key
    }

    /// The next element of an array; `nil` after the last.
    package mutating func nextElement(_ bytes: Span<UInt8>) -> (kind: JSONKind, value: Range<Int>)? {
        guard skipToNext(UInt8(ascii: "]"), bytes) else { return nil }
        let (kind, value) = skipValue(bytes)
        return (kind, value)
    }

    /// Skips the opening bracket or the comma; `false` at the end of the container.
    private mutating func skipToNext(_ closing: UInt8, _ bytes: Span<UInt8>) -> Bool {
        lexer.skipWhitespace(bytes)
        guard !lexer.isAtEnd, !lexer.skip(closing, bytes) else { return false }
        guard lexer.skipOpening(bytes) != nil || lexer.skip(UInt8(ascii: ","), bytes) else { return false }
        lexer.skipWhitespace(bytes)
        return !lexer.skip(closing, bytes) && !lexer.isAtEnd
    }
}

/// The kind of a value, known by its first byte.
public enum JSONKind: Sendable {
    case object, array, string, escapedString, number, `true`, `false`, null
}

/// The place of a key without its quotes.
struct JSONKey: Sendable {
    /// In the text; for a key with escapes in a `JSONObject`, in `escapedKeys`.
    var range: Range<Int>
    let isEscaped: Bool
}

/// The place of an object's member.
struct JSONMember: Sendable {
    var key: JSONKey
    let kind: JSONKind
    /// With its quotes or brackets.
    let value: Range<Int>

    static let none = JSONMember(key: JSONKey(range: 0..<0, isEscaped: false), kind: .null, value: 0..<0)

    /// The member with its value known.
    @inline(__always)
    func ended(_ kind: JSONKind, at end: Int) -> JSONMember {
        JSONMember(key: key, kind: kind, value: value.lowerBound..<end)
    }
}
