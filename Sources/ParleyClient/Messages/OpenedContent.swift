import ParleyCrypto
import ParleyProtocol

/// An opened message: what this version makes of it, and the whole of what was sealed.
public struct OpenedContent: Hashable, Sendable {
    public let value: MessageContent
    /// The JSON object in one line, members of later versions with it.
    public let json: [UInt8]

    /// - Throws: `badContent` for what is no JSON object, or lacks what its type must have.
    public init(
        kind: Named<RecordKind> = .known(.message), type: Named<MessageType>, json: [UInt8]
    ) throws(OpeningFailure) {
        value = try MessageContent(kind: kind, type: type, json: json)
        self.json = OpenedContent.withoutSpace(json)
    }

    /// Leaves out the white space between the tokens of a text that is known to be JSON.
    private static func withoutSpace(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var isInString = false
        var isEscaped = false
        for byte in json {
            if isInString {
                if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                if byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
                isInString = byte == UInt8(ascii: "\"")
            }
            result.append(byte)
        }
        return result
    }
}
