/// Packs encoded elements into as few messages as hold them, in order. Each begins with the byte `format` and has at
/// most `usualLength` bytes, unless one element is longer by itself.
func packed<Element>(
    _ elements: some Sequence<Element>, format: UInt8, usualLength: Int, encode: (Element) -> [UInt8]
) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var message = [format]
    for element in elements {
        let encoded = encode(element)
        if message.count > 1, message.count + encoded.count > usualLength {
            messages.append(message)
            message = [format]
        }
        message += encoded
    }
    if message.count > 1 { messages.append(message) }
    return messages
}

/// The elements of a message of ``packed(_:format:usualLength:encode:)``; `nil` for a message with any fault.
func unpacked<Element>(
    _ message: [UInt8], format: UInt8, maximumLength: Int, decode: (inout ByteReader) -> Element?
) -> [Element]? {
    guard message.count <= maximumLength else { return nil }
    var reader = ByteReader(message)
    guard reader.byte() == format else { return nil }
    var elements: [Element] = []
    while !reader.isAtEnd {
        guard let element = decode(&reader) else { return nil }
        elements.append(element)
    }
    return elements
}
