import ParleyProtocol

/// The id of a notification: the same each time that the same is told to the same device (protocol §7).
package enum PushID {
    /// What is hashed to make it: `parley/v1 push`, the type, what it is about, the user, and the device or nothing,
    /// each as UTF-8 with its length in 16 bits before it. The id is a name-based UUID of the BLAKE2b digest.
    ///
    /// - Parameters:
    ///   - subject: what it is about and cannot be told of twice, such as the id of a message or of an item of the
    ///     feed.
    ///   - device: `nil` for the topic, which all devices of the user hear.
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
