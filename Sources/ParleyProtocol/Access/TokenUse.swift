/// What the broker's plugin reports to the gateway: a device has signed in with the token of a renewal, while the one
/// before was still good. From then on the old one is worthless, also after a restart of either.
package struct TokenUse: Hashable, Sendable {
    package let device: DeviceAddress
    package let token: TokenID

    package init(device: DeviceAddress, token: TokenID) { (self.device, self.token) = (device, token) }

    /// Where the plugin publishes it, for the gateway's `intake` connection alone. No client may publish to it.
    package static let topic = AudienceChange.topic + "/tokens"
}

/// How uses of tokens lie in a message: a format byte, then each as the device's address and the token's 16 bytes.
package enum TokenUseCodec {
    /// The longest message that is read, in bytes.
    package static let maximumLength = 1 << 18
    /// How long messages are made at most.
    package static let usualLength = AudienceCodec.usualLength

    private static let format: UInt8 = 1

    /// The uses in as few messages of at most about `usualLength` bytes as hold them, in order.
    package static func messages(for uses: some Sequence<TokenUse>) -> [[UInt8]] {
        packed(uses, format: format, usualLength: usualLength) { use in
            var writer = ByteWriter()
            writer.address(use.device)
            writer.bytes(use.token.value.bytes)
            return writer.bytes
        }
    }

    /// Every use of a message; `nil` for one that is wrong anywhere.
    package static func uses(in message: [UInt8]) -> [TokenUse]? {
        guard message.count <= maximumLength else { return nil }
        var reader = ByteReader(message)
        guard reader.byte() == format else { return nil }
        var uses: [TokenUse] = []
        while !reader.isAtEnd {
            guard let device = reader.address(), let token = reader.uuid() else { return nil }
            uses.append(TokenUse(device: device, token: TokenID(token)))
        }
        return uses
    }
}
