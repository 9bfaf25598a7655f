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
