/// Writes JSON into a buffer that a batch shares; keys in the order in which they are written.
///
/// Keys are given by the code and hold nothing to escape; texts and bytes may come from anywhere.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8]
    /// Whether a comma stands before the next member or element.
    private var needsComma = false
    private var room: Range<Int>?

    public init(reusing bytes: [UInt8] = []) { self.bytes = bytes }

    public var count: Int { bytes.count }

    /// Makes room for so many more bytes at once, growing at least twofold so that many small calls cost no more.
    mutating func reserve(_ more: Int) {
        guard bytes.capacity - bytes.count < more else { return }
        bytes.reserveCapacity(max(bytes.count + more, bytes.capacity * 2))
    }

    /// Gives up what was written, keeping nothing.
    public consuming func finish() -> [UInt8] { bytes }

    /// Writes one value that stands by itself, and says where it lies.
    public mutating func document(_ body: (inout JSONWriter) -> Void) -> Range<Int> {
        needsComma = false
        room = nil
        let start = bytes.count
        body(&self)
        needsComma = false
        return start..<bytes.count
    }

    /// Appends bytes that are no JSON, a topic beside its payload, and says where they lie.
    public mutating func append(_ body: (inout [UInt8]) -> Void) -> Range<Int> {
        let start = bytes.count
        body(&bytes)
        return start..<bytes.count
    }

    /// Where room for a number was left since this was last asked; `nil` if none was.
    public mutating func takeRoom() -> Range<Int>? {
        defer { room = nil }
        return room
    }

    /// Writes a number into the room that was left for it, with white space before it. One that is too long for it is
    /// not written.
    public mutating func fill(_ room: Range<Int>, with value: Int) {
        let digits = String(value).utf8
        guard bytes.indices.contains(room.lowerBound), room.upperBound <= bytes.count, digits.count <= room.count
        else { return }
        let padding = repeatElement(UInt8(ascii: " "), count: room.count - digits.count)
        bytes.replaceSubrange(room, with: Array(padding) + digits)
    }

    public mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    public mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void)
    {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { body(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    public mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The key of a table: an id, which holds nothing to escape.
    public mutating func key(_ id: some UUIDIdentifier) {
        quoted { id.value.append(to: &$0) }
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func key(_ id: some LevelIdentifier) {
        quoted { id.append(to: &$0) }
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    public mutating func null() { token("null") }
    public mutating func value(_ value: Bool) { token(value ? "true" : "false") }

    public mutating func value(_ value: Int) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
        needsComma = true
    }

    public mutating func value(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        let characters = text.utf8Span.span
        if characters.needsEscapes {
            for index in 0..<characters.count { appendEscaped(characters[index]) }
        } else {
            bytes.append(addingCapacity: characters.count) { output in
                for index in 0..<characters.count { output.append(characters[index]) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    public mutating func value(_ time: Timestamp) { quoted { time.append(to: &$0) } }
    public mutating func value(_ id: some UUIDIdentifier) { quoted { id.value.append(to: &$0) } }
    public mutating func value(_ id: some LevelIdentifier) { quoted { id.append(to: &$0) } }
    public mutating func base64(_ value: [UInt8]) { quoted { Base64.append(value, to: &$0) } }

    /// Bytes that are JSON already.
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    // MARK: Members

    public mutating func member(_ name: StaticString, _ value: Int) { key(name); self.value(value) }
    public mutating func member(_ name: StaticString, _ value: Bool) { key(name); self.value(value) }
    public mutating func member(_ name: StaticString, _ text: String) { key(name); value(text) }
    public mutating func member(_ name: StaticString, _ time: Timestamp) { key(name); value(time) }
    public mutating func member(_ name: StaticString, _ id: some UUIDIdentifier) { key(name); value(id) }
    public mutating func member(_ name: StaticString, _ id: some LevelIdentifier) { key(name); value(id) }

    public mutating func member(_ name: StaticString, _ value: Int?) { optional(name, value) { $0.value($1) } }
    public mutating func member(_ name: StaticString, _ text: String?) { optional(name, text) { $0.value($1) } }
    public mutating func member(_ name: StaticString, _ time: Timestamp?) { optional(name, time) { $0.value($1) } }

    public mutating func member<ID: UUIDIdentifier>(_ name: StaticString, _ id: ID?) {
        optional(name, id) { $0.value($1) }
    }

    public mutating func member(_ name: StaticString, base64: [UInt8]?) { optional(name, base64) { $0.base64($1) } }
    public mutating func member(_ name: StaticString, raw: [UInt8]?) { optional(name, raw) { $0.raw($1) } }

    /// Leaves room for a whole number that is not known yet; until it is filled in, it reads as 0.
    ///
    /// - Parameter greatest: the greatest that it can be.
    public mutating func memberWithRoom(_ name: StaticString, upTo greatest: Int) {
        key(name)
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: max(0, String(greatest).utf8.count - 1)))
        bytes.append(UInt8(ascii: "0"))
        room = start..<bytes.count
        needsComma = true
    }

    public mutating func member(_ name: StaticString, object body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    public mutating func member<Element>(
        _ name: StaticString, array elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        array(elements, body)
    }

    /// An array whose elements are JSON already, comma between them.
    public mutating func member(_ name: StaticString, elements json: some Collection<UInt8>) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        bytes.append(contentsOf: json)
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    private mutating func optional<Value>(
        _ name: StaticString, _ value: Value?, _ body: (inout JSONWriter, Value) -> Void
    ) {
        key(name)
        if let value { body(&self, value) } else { null() }
    }

    // MARK: Pieces

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }

    private mutating func token(_ text: StaticString) {
        separate()
        append(text)
        needsComma = true
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { buffer in unsafe bytes.append(contentsOf: buffer) }
    }

    private mutating func quoted(_ body: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        body(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(byte < 0x10 ? 0x30 : 0x31)
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? digit + 0x30 : digit + 0x57)
        default: bytes.append(byte)
        }
    }
}

extension Span<UInt8> {
    /// Whether JSON wants any of these characters escaped in a string.
    fileprivate var needsEscapes: Bool {
        for index in 0..<count {
            let byte = self[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
        }
        return false
    }
}
