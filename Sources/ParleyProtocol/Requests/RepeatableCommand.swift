/// A command that is carried out once, however often it is sent: the same again gets the first reply, and another in
/// its place is refused (protocol §4).
package protocol RepeatableCommand: Command {
    /// What makes two requests of one id the same: who sent them, and everything that was sent. The gateway stores the
    /// digest of these bytes; so what they are never changes, and a new field that is missing adds nothing to them.
    func identityPreimage(sender: DeviceAddress) -> [UInt8]
}

/// The bytes that a request's digest is made of: each field with its 32-bit big-endian length before it, an absent one
/// as an empty one.
struct IdentityPreimage {
    private(set) var bytes: [UInt8] = []

    /// - Parameter count: how many bytes the longest fields have together.
    init(of sender: DeviceAddress, reserving count: Int = 0) {
        bytes.reserveCapacity(count + 256)
        self = field(sender.user.text).field(sender.device.text)
    }

    consuming func field(_ part: some Collection<UInt8>) -> IdentityPreimage {
        var longer = self
        for shift in [24, 16, 8, 0] { longer.bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
        longer.bytes.append(contentsOf: part)
        return longer
    }

    consuming func field(_ text: String?) -> IdentityPreimage { field((text ?? "").utf8) }
    consuming func field(_ number: Int?) -> IdentityPreimage { field(number.map { "\($0)" }) }
    consuming func field(_ id: (some UUIDIdentifier)?) -> IdentityPreimage { field(id?.value.bytes ?? []) }

    /// What a sealed content had when the first digests were made.
    consuming func fields(_ sealed: SealedContent) -> IdentityPreimage {
        field(sealed.suite.rawValue).field(sealed.content).field(sealed.nonce)
            .field(sealed.recipientKeys.map(RecipientKey.json) ?? [])
    }

    /// A field that came later than the digests of others that lack it.
    consuming func fieldIfPresent(_ part: [UInt8]?) -> IdentityPreimage {
        guard let part else { return self }
        return field(part)
    }
}
