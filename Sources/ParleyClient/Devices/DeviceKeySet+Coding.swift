import ParleyCrypto
import ParleyProtocol
import Sodium

/// The encoding of a device's keys: the device's address, the current identity key, the seed of the signing key, the
/// storage key, each retired identity key with the time of its retirement, newest first; since version 2 also the
/// account status.
extension DeviceKeySet {
    /// The version that is written.
    static let codingVersion: UInt8 = 2

    private enum StatusForm: UInt8 {
        case unlinked = 0
        /// The account key (32), `issued_at` (8), the certificate (64).
        case certified = 1
        /// The account's secret seed (32), `issued_at` (8), the certificate (64).
        case proposed = 2
        case established = 3
    }

    private static let certificateLength = 64
    private static let longestStatus = 1 + 32 + 8 + certificateLength

    /// Two ids of at most 64 bytes, three secrets, a number; for each retired key a time and a secret; the status.
    private var longestEncoding: Int {
        2 * 65 + 3 * 32 + 2 + retired.count * (8 + 32) + DeviceKeySet.longestStatus
    }

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
        switch status {
        case .unlinked:
            writer.byte(StatusForm.unlinked.rawValue)
        case .certified(let key, let certificate):
            writer.byte(StatusForm.certified.rawValue)
            writer.bytes(key.bytes)
            writer.certificate(certificate)
        case .holder(let secret, let certificate, let isEstablished):
            writer.byte((isEstablished ? StatusForm.established : .proposed).rawValue)
            writer.secret(secret.seed)
            writer.certificate(certificate)
        }
        return writer.bytes
    }

    /// - Parameter version: 1 or 2.
    /// - Returns: `nil` for invalid data, or a certificate that does not fit these keys.
    static func read(_ reader: ByteReader, version: UInt8) throws(SodiumError) -> DeviceKeySet? {
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
        guard let status = try version == 1 ? .unlinked : readStatus(&reader), reader.isAtEnd else { return nil }
        let keys = try DeviceKeySet(
            of: device, identity: IdentityKeyPair(secret: identity), retired: retired, signingSeed: seed,
            storageKey: storageKey, status: status)
        return keys.isStatusProved ? keys : nil
    }

    private static func readStatus(_ reader: inout ByteReader) throws(SodiumError) -> AccountStatus? {
        guard let form = reader.byte().flatMap(StatusForm.init(rawValue:)) else { return nil }
        switch form {
        case .unlinked:
            return .unlinked
        case .certified:
            guard let key = reader.bytes(count: AccountKey.length).flatMap({ AccountKey($0) }),
                let certificate = reader.certificate()
            else { return nil }
            return .certified(key, certificate)
        case .proposed, .established:
            guard let seed = try reader.secret(), let certificate = reader.certificate() else { return nil }
            return .holder(try AccountSecret(seed: seed), certificate, isEstablished: form == .established)
        }
    }

    private var isStatusProved: Bool {
        guard let accountKey, let certificate = status.certificate else { return true }
        return accountKey.hasCertified(
            device, identityKey: identityKey.bytes, signingKey: signingPublicKey, certificate)
    }
}

extension ByteWriter {
    fileprivate mutating func secret(_ secret: SecretBytes) {
        secret.withBytes { (span) in bytes(span) }
    }

    fileprivate mutating func certificate(_ certificate: DeviceCertificate) {
        number(UInt64(bitPattern: certificate.issuedAt.milliseconds), bytes: 8)
        bytes(certificate.signature)
    }
}

extension ByteReader {
    fileprivate mutating func secret() throws(SodiumError) -> SecretBytes? {
        try withBytes(count: 32) { (bytes) throws(SodiumError) in try SecretBytes(copying: bytes) }
    }

    fileprivate mutating func certificate() -> DeviceCertificate? {
        guard let time = number(bytes: 8), let signature = bytes(count: 64) else { return nil }
        return DeviceCertificate(
            signature: signature, issuedAt: Timestamp(milliseconds: Int64(bitPattern: time)))
    }
}
