/// Writes JSON into a buffer that a batch shares.
///
/// Keys come from the code and need no escapes; texts and bytes may come from anywhere.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8]
    /// Whether a comma is due before the next member or element.
    private var needsComma = false
    private var room: Range<Int>?

    public init(reusing bytes: [UInt8] = []) { self.bytes = bytes }

    public var count: Int { bytes.count }

    public consuming func finish() -> [UInt8] { bytes }

    package static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(body)
        return writer.finish()
    }

    /// Writes one document after those before, and returns its place.
    public mutating func document(_ body: (inout JSONWriter) -> Void) -> Range<Int> {
        needsComma = false
        room = nil
        let start = bytes.count
        body(&self)
        needsComma = false
        return start..<bytes.count
    }

    /// Appends bytes that are not JSON, such as the topic of a payload, and returns their place.
    public mutating func append(_ body: (inout [UInt8]) -> Void) -> Range<Int> {
        let start = bytes.count
        body(&bytes)
        return start..<bytes.count
    }

    /// The room left for a number since the last call; `nil` if there is none.
    public mutating func removeRoom() -> Range<Int>? {
        defer { room = nil }
        return room
    }

    /// Writes a number into the room left for it, padded with white space. A number that is too long is not written.
    public mutating func fill(_ room: Range<Int>, with value: Int) {
        let digits = String(value).utf8
        guard bytes.indices.contains(room.lowerBound), room.upperBound <= bytes.count, digits.count <= room.count
        else { return }
        let padding = repeatElement(UInt8(ascii: " "), count: room.count - digits.count)
        bytes.replaceSubrange(room, with: Array(padding) + digits)
    }

    /// - Parameter reserve: the approximate number of bytes, for an object of many members, whose buffer then grows
    ///   once.
    public mutating func object(reserving reserve: Int = 0, _ body: (inout JSONWriter) -> Void) {
        if bytes.capacity - bytes.count < reserve {
            // At least double, so that many objects cost no more.
            bytes.reserveCapacity(max(bytes.count + reserve, bytes.capacity * 2))
        }
        bytes.separate(&needsComma)
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    public mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void)
    {
        bytes.separate(&needsComma)
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { body(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    @inline(__always)
    public mutating func key(_ name: String) {
        let (needsComma, text) = (needsComma, name.utf8Span.span)
        // With one check of capacity: keys are half of a record's JSON.
        bytes.append(addingCapacity: text.count + 4) { output in
            if needsComma { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            for index in 0..<text.count { output.append(text[index]) }
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
        }
        self.needsComma = false
    }

    /// The key of a table: an id, which needs no escapes.
    public mutating func key(_ id: some JSONKeyable) {
        id.write(to: &self)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    public mutating func value(_ value: some JSONWritable) { value.write(to: &self) }

    /// Writes bytes that are JSON already.
    public mutating func raw(_ json: some Collection<UInt8>) {
        bytes.separate(&needsComma)
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Leaves room for a whole number; until it is filled in, it reads as 0.
    ///
    /// - Parameter greatest: the greatest possible number.
    package mutating func room(upTo greatest: Int) {
        bytes.separate(&needsComma)
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: max(0, String(greatest).utf8.count - 1)))
        bytes.append(UInt8(ascii: "0"))
        room = start..<bytes.count
        needsComma = true
    }

    // MARK: Members

    public mutating func member(_ name: String, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    public mutating func member(_ name: String, _ value: (some JSONWritable)?) {
        key(name)
        if let value { value.write(to: &self) } else { token("null") }
    }

    public mutating func member(_ name: String, base64 value: [UInt8]?) {
        key(name)
        if let value { quoted { Base64.append(value, to: &$0) } } else { token("null") }
    }

    public mutating func member(_ name: String, raw json: [UInt8]?) {
        key(name)
        if let json { raw(json) } else { token("null") }
    }

    public mutating func member(_ name: String, object body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    public mutating func member<Element>(
        _ name: String, array elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        array(elements, body)
    }

    /// An array whose elements are JSON already, with commas between them.
    public mutating func member(_ name: String, elements json: some Collection<UInt8>) {
        key(name)
        elements(json)
    }

    mutating func elements(_ json: some Collection<UInt8>) {
        bytes.separate(&needsComma)
        bytes.append(UInt8(ascii: "["))
        bytes.append(contentsOf: json)
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    // MARK: Pieces

    /// Writes `true`, `false` or `null`.
    mutating func token(_ text: StaticString) {
        bytes.separate(&needsComma)
        bytes.append(text)
        needsComma = true
    }

    /// Writes a string whose text `body` appends; it needs no escapes.
    ///
    /// - Parameter count: the number of its bytes.
    mutating func quoted(count: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        let needsComma = needsComma
        bytes.append(addingCapacity: count + 3) { output in
            if needsComma { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            body(&output)
            output.append(UInt8(ascii: "\""))
        }
        self.needsComma = true
    }

    /// Writes a string whose text, with its escapes, `body` appends.
    mutating func quoted(_ body: (inout [UInt8]) -> Void) {
        bytes.separate(&needsComma)
        bytes.append(UInt8(ascii: "\""))
        body(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }
}

extension [UInt8] {
    /// Writes the comma before the next member or element, if one is due.
    fileprivate mutating func separate(_ needsComma: inout Bool) {
        if needsComma { append(UInt8(ascii: ",")) }
        needsComma = false
    }

    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { buffer in unsafe append(contentsOf: buffer) }
    }
}
