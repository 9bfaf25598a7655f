/// A command that is executed once, however often it is sent: a repeat gets the first reply, and another request under
/// its id is refused (protocol §4).
package protocol RepeatableCommand: Command {
    /// The identity of a request beside its id: its sender and all its values. The gateway stores the digest of these
    /// bytes, so that they never change, and a new field adds nothing to them while it is missing.
    func identityPreimage(sender: DeviceAddress) -> [UInt8]
}

extension RepeatableCommand {
    package static var namesWhatItMakes: Bool { true }
}

/// The preimage of a request's digest: each field with its 32-bit big-endian length, a missing one as an empty one.
struct IdentityPreimage {
    private(set) var bytes: [UInt8] = []

    /// - Parameter count: the bytes of the longest fields together.
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

    /// The fields of a sealed content in the first version.
    consuming func fields(_ sealed: SealedContent) -> IdentityPreimage {
        field(sealed.suite.rawValue).field(sealed.content).field(sealed.nonce)
            .field(sealed.recipientKeys.map(RecipientKey.json) ?? [])
    }

    /// A field of a later version, which is left out if it is missing.
    consuming func fieldIfPresent(_ part: [UInt8]?) -> IdentityPreimage {
        guard let part else { return self }
        return field(part)
    }
}
