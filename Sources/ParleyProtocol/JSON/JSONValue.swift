/// A value of a scanned text: its kind and place.
struct JSONValue {
    let kind: JSONKind
    let place: Range<Int>

    /// Gives `body` the string without escapes, and without a copy if it has none.
    ///
    /// - Parameters:
    ///   - name: of the field, for the `bad_request` of any other value.
    ///   - bytes: the text.
    @inline(__always)
    func withString<Result>(
        _ name: String, in bytes: [UInt8], _ body: (Span<UInt8>) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
        let inside = (place.lowerBound + 1)..<max(place.lowerBound + 1, place.upperBound - 1)
        switch kind {
        case .string:
            return try body(bytes.span.extracting(inside))
        case .escapedString:
            let unescaped = bytes.span.unescaped(inside)
            return try body(unescaped.span)
        case .object, .array, .number, .true, .false, .null:
            throw .badRequest(name, "not a string")
        }
    }

    /// The elements of an array; more than `maximum` is refused by `excess`, without it as `too_large`.
    func elements(
        _ name: String, in bytes: [UInt8], maximum: Int, excess: Rejection? = nil
    ) throws(Rejection) -> [JSONValue] {
        guard kind == .array else { throw .badRequest(name, "not an array") }
        var elements: [JSONValue] = []
        var walker = JSONWalker(place)
        while let element = walker.nextElement(bytes.span) {
            guard elements.count < maximum else {
                throw excess ?? Rejection(.tooLarge, "\(name): more than \(maximum) elements")
            }
            elements.append(JSONValue(kind: element.kind, place: element.value))
        }
        return elements
    }
}
