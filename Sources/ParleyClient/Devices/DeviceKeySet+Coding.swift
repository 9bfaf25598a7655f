import ParleyCrypto
import ParleyProtocol
import Sodium

/// How a device's keys lie in a file, secret as they are: the device's address, the current identity key, the seed of
/// the signing key, the storage key, then each retired identity key with the time of its retirement, newest first.
extension DeviceKeySet {
    /// Two ids of at most 64 bytes, three secrets, a number; for each retired key a time and a secret.
    private var longestEncoding: Int { 2 * 65 + 3 * 32 + 2 + retired.count * (8 + 32) }

    /// Secret: the caller wipes it.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: longestEncoding)
        writer.address(device)
        for secret in [identity.secret, signingSeed, storageKey] { writer.secret(secret) }
        writer.number(UInt64(retired.count), bytes: 2)
        for key in retired {
            writer.number(UInt64(bitPattern: key.retiredAt.milliseconds), bytes: 8)
            writer.secret(key.keys.secret)
        }
        return writer.bytes
    }

    /// - Returns: `nil` for what `encoded` does not write.
    static func read(_ reader: ByteReader) throws(SodiumError) -> DeviceKeySet? {
        var reader = reader
        guard let device = reader.address(), let identity = try reader.secret(), let seed = try reader.secret(),
            let storageKey = try reader.secret(), let count = reader.number(bytes: 2), count <= maximumRetired
        else { return nil }
        var retired: [RetiredIdentity] = []
        for _ in 0..<count {
            guard let time = reader.number(bytes: 8), let secret = try reader.secret() else { return nil }
            let retiredAt = Timestamp(milliseconds: Int64(bitPattern: time))
            retired.append(RetiredIdentity(keys: try IdentityKeyPair(secret: secret), retiredAt: retiredAt))
        }
        guard reader.isAtEnd else { return nil }
        return try DeviceKeySet(
            of: device, identity: IdentityKeyPair(secret: identity), retired: retired, signingSeed: seed,
            storageKey: storageKey)
    }
}

extension ByteWriter {
    fileprivate mutating func secret(_ secret: SecretBytes) {
        secret.withBytes { (span) in bytes(span) }
    }
}

extension ByteReader {
    fileprivate mutating func secret() throws(SodiumError) -> SecretBytes? {
        try withBytes(count: 32) { (bytes) throws(SodiumError) in try SecretBytes(copying: bytes) }
    }
}
