import ParleyClient
import ParleyProtocol

/// One message as a line for people: its time, its topic without the prefix, and its content.
///
/// Ciphertext and keys are shown by their lengths, secrets not at all.
struct EventLine: CustomStringConvertible {
    let message: DeviceMessage
    let receivedAt: Timestamp

    /// The longest payload that is shown if it is no JSON object, in characters.
    private static let longestText = 200

    var description: String {
        let topic = message.topicName.trimmingPrefix(Topic.prefix)
        let retained = message.isRetained ? " (retained)" : ""
        return "\(time) \(String(topic).printable)\(retained) \(content)"
    }

    /// The time of day, in UTC.
    private var time: Substring { receivedAt.description.dropFirst(11) }

    private var content: String {
        guard let object = try? JSONObject(parsing: message.payload), case .object(let members) = object.element else {
            let text = String(decoding: message.payload, as: UTF8.self)
            let end = text.count > EventLine.longestText ? "… <\(message.payload.count) bytes>" : ""
            return String(text.prefix(EventLine.longestText)).printable + end
        }
        guard let event = message.event(), case .object(let data) = event.data.element else {
            return EventLine.pairs(members)
        }
        return "\(event.type.printable) \(EventLine.pairs(data))"
    }

    /// `key=value` for each member, in the order in which they came.
    private static func pairs(_ members: [JSONElement.Member]) -> String {
        members.map { "\($0.key.printable)=\(text($0.value, of: Field($0.key)))" }.joined(separator: " ")
    }

    private static func text(_ value: JSONElement, of field: Field) -> String {
        switch (field, value) {
        case (.secret, .string): "<hidden>"
        case (.bytes, .string(let base64)): "<\(decodedLength(base64)) bytes>"
        case (.suite, .string(let name)):
            quoted(name) + ((Suite(rawValue: name).map(ChatMessage.Protection.init)?.note).map { " (\($0))" } ?? "")
        case (.keys, .array(let elements)): "<\(elements.count) keys>"
        case (_, .object(let members)): "{\(pairs(members))}"
        case (_, .array(let elements)): "[\(elements.map { text($0, of: field) }.joined(separator: ", "))]"
        case (_, .string(let string)): quoted(string)
        case (_, .literal(let literal)): literal
        }
    }

    /// A field by what may be shown of it.
    private enum Field {
        /// A password, or the token of an invite.
        case secret
        /// base64 of bytes that say nothing to people.
        case bytes
        /// The content key, sealed for each device.
        case keys
        /// How a message is sealed.
        case suite
        case plain

        init(_ name: String) {
            switch name {
            case "password", "token": self = .secret
            case "encrypted_content", "nonce", "encrypted_key", "identity_key", "signing_key", "signature":
                self = .bytes
            case "recipient_keys": self = .keys
            case "suite": self = .suite
            default: self = .plain
            }
        }
    }

    /// How many bytes a base64 text stands for.
    private static func decodedLength(_ base64: String) -> Int {
        base64.utf8.count / 4 * 3 - base64.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
    }

    /// In quotes if its end could not be seen otherwise.
    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && !text.contains { $0 == " " || $0 == "\"" || $0 == "=" || $0 == "{" || $0 == "}" }
        guard !isPlain else { return text.printable }
        return
            "\"\(text.printable.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\""))\""
    }
}
