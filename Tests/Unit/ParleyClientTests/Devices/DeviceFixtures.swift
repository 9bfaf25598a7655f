import TestSupport
import Foundation
import ParleyClient
import ParleyCrypto
import ParleyProtocol
import Sodium

/// A device, from `uid/did`.
func device(_ text: String) -> DeviceAddress {
    let parts = text.split(separator: "/").map(String.init)
    return DeviceAddress(user: UserID(validated: parts[0]), device: DeviceID(validated: parts[1]))
}

/// A value that is not of the case that a test goes on with.
struct UnexpectedError: Error {
    let value: String

    init(_ value: Any?) { self.value = String(describing: value) }
}

/// Keys that are the same in one test whenever they are asked for.
struct TestKeys {
    private let keys: [X25519.PublicKey]

    init() throws { keys = try (0..<32).map { _ in try X25519.SecretKey.generate().publicKey } }

    subscript(_ index: Int) -> IdentityKey {
        guard let key = IdentityKey(keys[index].bytes) else { preconditionFailure("a generated key is usable") }
        return key
    }
}

/// What a gateway lists of a device that has published this key, unsigned.
func published(_ device: String, _ key: IdentityKey) -> DeviceKeys {
    DeviceKeys(
        device: DeviceID(validated: device), identityKey: key.bytes, signingKey: nil, signature: nil,
        createdAt: Timestamp(milliseconds: 0))
}

/// What a gateway answers about a user.
func listing(_ user: String, account: AccountKey? = nil, _ devices: [DeviceKeys]) -> UserKeys {
    UserKeys(user: UserID(validated: user), accountKey: account?.bytes, devices: devices)
}

/// An account whose certificates are the same in one test whenever they are asked for.
struct TestAccount {
    private static let signingKey = [UInt8](repeating: 7, count: 32)

    let secret: AccountSecret
    var key: AccountKey { secret.publicKey }

    init() throws { secret = try .generate() }

    /// What a gateway lists of a device that this account has certified.
    func certified(_ device: DeviceAddress, _ key: IdentityKey, at milliseconds: Int64) throws -> DeviceKeys {
        let certificate = try secret.certify(
            device, identityKey: key.bytes, signingKey: TestAccount.signingKey,
            at: Timestamp(milliseconds: milliseconds))
        return DeviceKeys(
            device: device.device, identityKey: key.bytes, signingKey: TestAccount.signingKey, signature: nil,
            certificate: certificate, createdAt: Timestamp(milliseconds: 0))
    }
}

extension TemporaryDirectory {
    func directory(of device: DeviceAddress) -> DeviceDirectory { DeviceDirectory(of: device, in: path) }
}

extension DeviceDirectory {
    /// The names of its files, in order.
    var entries: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    /// The names of the files of a folder in it, in order.
    func entries(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }

    /// Writes over a file in place, with these permissions, as an attacker or a broken disk would.
    func overwrite(_ path: String, with bytes: [UInt8], mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
}

extension [UInt8] {
    func flipping(_ bit: Int) -> [UInt8] {
        var bytes = self
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        return bytes
    }
}

extension Sequence where Element == UInt8 {
    /// Whether these bytes stand somewhere in this sequence.
    func contains(_ needle: [UInt8]) -> Bool { Data(self).range(of: Data(needle)) != nil }
}

extension DeviceKeySet {
    /// The current keys, then the retired ones.
    var identities: [IdentityKeyPair] { [identity] + retired.map(\.keys) }
}
