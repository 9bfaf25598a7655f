import ParleyProtocol
import Sodium

/// The format of a key file, version 2; version 1 is still read:
///
///     PARLEYKS, version (1), form (1), length of the file (4), then by its form
///     0  the keys
///     1  passes (4), KiB (4), salt (16), nonce (24), the keys sealed with XChaCha20-Poly1305 under the
///        Argon2id key of the passphrase, everything before them as associated data
///     BLAKE2b-256 of everything before
///
/// The digest at the end distinguishes damage from a wrong passphrase; it does not protect against a writer of the
/// file.
enum KeyFile {
    /// The longest file, in bytes.
    static let maximumLength = 1 << 16

    private static let magic = Array("PARLEYKS".utf8)
    private static let version = DeviceKeySet.codingVersion
    private static let headerLength = 14
    private static let digestLength = BLAKE2b.DigestLength.bytes32.rawValue

    private enum Form: UInt8 {
        case plain = 0
        case sealed = 1
    }

    // MARK: Writing

    /// A whole file. Secret if it is not sealed: the caller wipes it.
    static func encode(_ keys: DeviceKeySet, _ protection: KeyProtection) throws(SodiumError) -> [UInt8] {
        var body = keys.encoded
        defer { wipe(&body) }
        switch protection {
        case .ownership:
            var file = begin(.plain, bodyLength: body.count)
            file.bytes(body.span)
            return try finish(file)
        case .passphrase(let passphrase, let cost):
            let sealedLength = body.count + XChaCha20Poly1305.tagLength
            let prefixLength = 8 + Argon2id.saltLength + XChaCha20Poly1305.nonceLength
            var file = begin(.sealed, bodyLength: prefixLength + sealedLength)
            let salt = try RandomBytes.make(count: Argon2id.saltLength)
            let nonce = try RandomBytes.make(count: XChaCha20Poly1305.nonceLength)
            file.number(UInt64(cost.argon2id.passes), bytes: 4)
            file.number(UInt64(cost.argon2id.kibibytes), bytes: 4)
            file.bytes(salt)
            file.bytes(nonce)
            let key = try deriveKey(passphrase, salt: salt, cost: cost.argon2id)
            let header = file.bytes
            file.bytes(
                try key.withBytes { (key) throws(SodiumError) in
                    try XChaCha20Poly1305.seal(body.span, nonce: nonce.span, additionalData: header.span, key: key)
                })
            return try finish(file)
        }
    }

    private static func begin(_ form: Form, bodyLength: Int) -> ByteWriter {
        let length = headerLength + bodyLength + digestLength
        var file = ByteWriter(capacity: length)
        file.bytes(magic)
        file.byte(version)
        file.byte(form.rawValue)
        file.number(UInt64(length), bytes: 4)
        return file
    }

    private static func finish(_ file: consuming ByteWriter) throws(SodiumError) -> [UInt8] {
        file.bytes(try BLAKE2b.hash(file.bytes.span, length: .bytes32))
        return file.bytes
    }

    // MARK: Reading

    static func decode(
        _ file: [UInt8], of device: DeviceAddress, with passphrase: Passphrase?
    ) throws(KeyFileError) -> DeviceKeySet {
        var reader = ByteReader(file)
        guard file.starts(with: magic.prefix(file.count)) else { throw .corrupt }
        guard reader.bytes(count: magic.count) != nil, let version = reader.byte() else { throw .truncated }
        guard version <= KeyFile.version else { throw .newerVersion(version) }
        guard let form = reader.byte(), let length = reader.number(bytes: 4) else { throw .truncated }
        guard UInt64(file.count) >= length else { throw .truncated }
        let end = file.count - digestLength
        guard version >= 1, UInt64(file.count) == length, end >= headerLength,
            isDigest(file.span.extracting(end...), of: file.span.extracting(..<end)), let form = Form(rawValue: form)
        else { throw .corrupt }
        let body = ByteReader(file, range: headerLength..<end)
        let keys =
            try form == .plain
            ? openPlain(body, version, passphrase) : openSealed(body, version, of: file, until: end, passphrase)
        guard keys.device == device else { throw .ofAnotherDevice }
        return keys
    }

    private static func isDigest(_ digest: Span<UInt8>, of bytes: Span<UInt8>) -> Bool {
        guard let expected = try? BLAKE2b.hash(bytes, length: .bytes32) else { return false }
        return equalInConstantTime(digest, expected.span)
    }

    private static func openPlain(
        _ body: ByteReader, _ version: UInt8, _ passphrase: Passphrase?
    ) throws(KeyFileError) -> DeviceKeySet {
        guard passphrase == nil else { throw .notEncrypted }
        return try readKeys(body, version)
    }

    private static func openSealed(
        _ body: ByteReader, _ version: UInt8, of file: [UInt8], until end: Int, _ passphrase: Passphrase?
    ) throws(KeyFileError) -> DeviceKeySet {
        guard let passphrase else { throw .passphraseNeeded }
        var body = body
        guard let passes = body.number(bytes: 4), let kibibytes = body.number(bytes: 4),
            let salt = body.bytes(count: Argon2id.saltLength),
            let nonce = body.bytes(count: XChaCha20Poly1305.nonceLength)
        else { throw .corrupt }
        guard let passes = Int(exactly: passes), let kibibytes = Int(exactly: kibibytes),
            let cost = try? Argon2id.Cost(passes: passes, kibibytes: kibibytes)
        else { throw .costTooHigh }
        let sealed = (headerLength + 8 + salt.count + nonce.count)..<end
        var opened: [UInt8]
        do throws(SodiumError) {
            let key = try deriveKey(passphrase, salt: salt, cost: cost)
            opened = try key.withBytes { (key) throws(SodiumError) in
                try XChaCha20Poly1305.open(
                    file.span.extracting(sealed), nonce: nonce.span,
                    additionalData: file.span.extracting(..<sealed.lowerBound), key: key)
            }
        } catch {
            throw error == .notAuthentic ? .wrongPassphrase : .noResources
        }
        defer { wipe(&opened) }
        return try readKeys(ByteReader(opened), version)
    }

    private static func readKeys(
        _ reader: ByteReader, _ version: UInt8
    ) throws(KeyFileError) -> DeviceKeySet {
        let keys: DeviceKeySet?
        do throws(SodiumError) { keys = try DeviceKeySet.read(reader, version: version) } catch { throw .noResources }
        guard let keys else { throw .corrupt }
        return keys
    }

    private static func deriveKey(
        _ passphrase: Passphrase, salt: [UInt8], cost: Argon2id.Cost
    ) throws(SodiumError) -> SecretBytes {
        try passphrase.bytes.withBytes { (password) throws(SodiumError) in
            try Argon2id.derive(
                password: password, salt: salt.span, cost: cost, length: XChaCha20Poly1305.keyLength)
        }
    }
}
