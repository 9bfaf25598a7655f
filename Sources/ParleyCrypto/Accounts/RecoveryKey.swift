import ParleyProtocol
import Sodium

/// 128 random bits, shown to the user once, that open the backup of the account key (protocol §6).
///
/// As text: seven groups of four characters of Crockford's base 32, without I, L, O and U: the 128 bits and a CRC of
/// 12, which detects a wrong letter and two swapped ones.
public struct RecoveryKey: Sendable, CustomStringConvertible, CustomReflectable {
    static let length = 16
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let characters = 28
    private static let checkBits = 12

    let secret: SecretBytes

    package static func generate() throws(SodiumError) -> RecoveryKey {
        RecoveryKey(secret: try .random(count: length))
    }

    private init(secret: SecretBytes) { self.secret = secret }

    /// Reads a written key: in any case, with or without spaces and dashes, with O for 0, I and L for 1.
    public init(_ text: String) throws(RecoveryKeyError) {
        var bits: [UInt8] = []
        defer { wipe(&bits) }
        for character in text.utf8 {
            guard character != UInt8(ascii: " "), character != UInt8(ascii: "-") else { continue }
            guard let value = RecoveryKey.value(of: character) else { throw .unreadable }
            guard bits.count < RecoveryKey.characters * 5 else { throw .unreadable }
            for shift in (0..<5).reversed() { bits.append(value >> UInt8(shift) & 1) }
        }
        guard bits.count == RecoveryKey.characters * 5 else { throw .unreadable }
        var bytes = (0..<RecoveryKey.length).map { index in
            bits[index * 8..<index * 8 + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
        }
        defer { wipe(&bytes) }
        guard RecoveryKey.check(of: bytes.span) == Array(bits[(RecoveryKey.length * 8)...]) else { throw .misspelt }
        guard let secret = try? SecretBytes(copying: bytes.span) else { throw .noResources }
        self.secret = secret
    }

    /// The seven groups to show. Secret.
    public var groups: [String] {
        secret.withBytes { key in
            var bits: [UInt8] = []
            for index in 0..<key.count {
                for shift in (0..<8).reversed() { bits.append(key[index] >> UInt8(shift) & 1) }
            }
            bits += RecoveryKey.check(of: key)
            let text = stride(from: 0, to: bits.count - 4, by: 5).map { start in
                RecoveryKey.alphabet[bits[start..<start + 5].reduce(0) { $0 << 1 | Int($1) }]
            }
            return stride(from: 0, to: text.count, by: 4).map {
                String(decoding: text[$0..<min($0 + 4, text.count)], as: UTF8.self)
            }
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        let upper = character >= UInt8(ascii: "a") && character <= UInt8(ascii: "z") ? character - 32 : character
        switch upper {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        default: return alphabet.firstIndex(of: upper).map { UInt8(truncatingIfNeeded: $0) }
        }
    }

    /// The check bits, one in a byte: CRC-12 with the polynomial 0x80F, from zero.
    private static func check(of key: Span<UInt8>) -> [UInt8] {
        var remainder = 0
        for index in 0..<key.count {
            for shift in (0..<8).reversed() {
                let feedback = remainder >> (checkBits - 1) ^ Int(key[index] >> UInt8(shift) & 1)
                remainder = (remainder << 1 & 0xFFF) ^ feedback * 0x80F
            }
        }
        return (0..<checkBits).reversed().map { UInt8(remainder >> $0 & 1) }
    }

    public var description: String { "RecoveryKey(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is no recovery key.
public enum RecoveryKeyError: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case unreadable
    /// Of the right length, with a wrong check.
    case misspelt
    /// The system refused memory for secrets.
    case noResources

    public var description: String {
        switch self {
        case .unreadable: "a recovery key is 28 letters and digits, in seven groups of four"
        case .misspelt: "this recovery key has a slip in it: compare it letter by letter with what was written down"
        case .noResources: "no memory for a secret"
        }
    }
}
