import ParleyProtocol

/// The id of a notification, the same for each repeat to the same device (protocol §7).
package enum PushID {
    /// The name of the name-based UUID, hashed by BLAKE2b: `parley/v1 push`, the type, the subject, the user, and the
    /// device or nothing, each as UTF-8 behind its length in 16 bits.
    ///
    /// - Parameters:
    ///   - subject: of which a device is notified once: the id of a message or of an item of a feed.
    ///   - device: `nil` for the topic.
    package static func preimage(
        _ type: PushType, about subject: some UUIDIdentifier, for user: UserID, device: DeviceID?
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.field("parley/v1 push".utf8)
        writer.field(type.rawValue.utf8)
        writer.field(subject.description.utf8)
        writer.field(user.text.utf8)
        writer.field((device?.text ?? "").utf8)
        return writer.bytes
    }
}
