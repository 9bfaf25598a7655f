/// The plugin's request to the gateway to remove the broker's sessions of client ids, by signing in under each with
/// clean start. No broker lets a plugin do that itself.
package enum SessionRemoval {
    /// The plugin publishes here for the gateway's `intake` connection alone; no client may.
    package static let topic = AudienceChange.topic + "/sessions"

    /// In bytes.
    package static let maximumLength = 1 << 18
    private static let usualLength = AudienceCodec.usualLength
    private static let format: UInt8 = 1

    /// The client ids in as few messages as hold them: a format byte, then each with its length in one byte before it.
    package static func messages(for ids: some Sequence<ClientID>) -> [[UInt8]] {
        packed(ids, format: format, usualLength: usualLength) { id in
            let text = Array(id.description.utf8)
            return [UInt8(truncatingIfNeeded: text.count)] + text
        }
    }

    /// `nil` for a message with any fault.
    package static func ids(in message: [UInt8]) -> [ClientID]? {
        unpacked(message, format: format, maximumLength: maximumLength) { reader in
            guard let length = reader.byte(), let text = reader.bytes(count: Int(length)) else { return nil }
            return ClientID(parsing: text.span)
        }
    }
}
