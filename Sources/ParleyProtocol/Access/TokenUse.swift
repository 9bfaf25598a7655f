/// The plugin's report that a device has signed in with the token of a renewal while the one before was still valid.
/// From then on the old one is worthless, also after a restart of either.
package struct TokenUse: Hashable, Sendable {
    package let device: DeviceAddress
    package let token: TokenID

    package init(device: DeviceAddress, token: TokenID) { (self.device, self.token) = (device, token) }

    /// The plugin publishes here for the gateway's `intake` connection alone; no client may.
    package static let topic = AudienceChange.topic + "/tokens"
}

/// The binary form of uses of tokens: a format byte, then each as the device's address and the token's 16 bytes.
package enum TokenUseCodec {
    /// In bytes.
    package static let maximumLength = 1 << 18
    package static let usualLength = AudienceCodec.usualLength

    private static let format: UInt8 = 1

    /// The uses, in order, in as few messages as hold them.
    package static func messages(for uses: some Sequence<TokenUse>) -> [[UInt8]] {
        packed(uses, format: format, usualLength: usualLength) { use in
            var writer = ByteWriter()
            writer.address(use.device)
            writer.bytes(use.token.value.bytes)
            return writer.bytes
        }
    }

    /// `nil` for a message with any fault.
    package static func uses(in message: [UInt8]) -> [TokenUse]? {
        unpacked(message, format: format, maximumLength: maximumLength) { reader in
            guard let device = reader.address(), let token = reader.uuid() else { return nil }
            return TokenUse(device: device, token: TokenID(token))
        }
    }
}
