import OpenSSL
import ParleyProtocol

/// A provider's key for signing identity tokens.
enum ProviderKey: Sendable {
    /// In characters.
    static let longestID = 255

    case rsa(RSA.PublicKey)
    case p256(P256.PublicKey)

    var algorithm: IdentityToken.Algorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        }
    }
}

/// The keys that a provider publishes (JSON Web Key Set, RFC 7517 §5).
struct KeySet: Sendable {
    /// A provider has two to ten.
    static let mostKeys = 64

    private struct Entry {
        let id: String
        let key: ProviderKey
    }

    enum Search {
        case found(ProviderKey)
        /// The key of this id is of another algorithm.
        case otherAlgorithm
        case none
    }

    private let entries: [Entry]

    /// Unusable entries are skipped (RFC 7517 §5).
    ///
    /// - Returns: `nil` if there is no list of keys, or no usable key in it.
    init?(parsing json: [UInt8]) {
        guard let set = try? JSONObject(parsing: json).element, case .array(let elements)? = set["keys"] else {
            return nil
        }
        entries = elements.prefix(KeySet.mostKeys).compactMap { element in
            guard let id = element.text("kid"), (1...ProviderKey.longestID).contains(id.unicodeScalars.count),
                let key = ProviderKey(element)
            else { return nil }
            return Entry(id: id, key: key)
        }
        guard !entries.isEmpty else { return nil }
    }

    /// The first key of this id and algorithm.
    func find(_ id: String, _ algorithm: IdentityToken.Algorithm) -> Search {
        let named = entries.filter { $0.id.utf8.elementsEqual(id.utf8) }
        if let entry = named.first(where: { $0.key.algorithm == algorithm }) { return .found(entry.key) }
        return named.isEmpty ? .none : .otherAlgorithm
    }
}

extension ProviderKey {
    /// A public JSON Web Key for signatures (RFC 7517 §4, RFC 7518 §6); `nil` for any other.
    fileprivate init?(_ element: JSONElement) {
        guard element["d"] == nil, element.isUnset("use", or: "sig"), element.allowsVerifying else { return nil }
        switch element.text("kty") {
        case "RSA" where element.isUnset("alg", or: IdentityToken.Algorithm.rs256.rawValue):
            guard let modulus = element.bytes("n"), let exponent = element.bytes("e"),
                let key = try? RSA.PublicKey(modulus: modulus, exponent: exponent)
            else { return nil }
            self = .rsa(key)
        case "EC" where element.isUnset("alg", or: IdentityToken.Algorithm.es256.rawValue):
            // Both coordinates with leading zeros (RFC 7518 §6.2.1.2).
            guard element.text("crv") == "P-256", let x = element.bytes("x"), x.count == 32,
                let y = element.bytes("y"), y.count == 32, let key = try? P256.PublicKey([4] + x + y)
            else { return nil }
            self = .p256(key)
        default: return nil
        }
    }
}

extension JSONElement {
    /// A member of an object.
    fileprivate subscript(name: String) -> JSONElement? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(name.utf8) }?.value
    }

    fileprivate func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    /// In base64url; the length bounds the decoded key to 4096 bits.
    fileprivate func bytes(_ name: String) -> [UInt8]? {
        guard let text = text(name), (1...683).contains(text.utf8.count) else { return nil }
        return Base64URL.decode(Array(text.utf8).span)
    }

    fileprivate func isUnset(_ name: String, or value: String) -> Bool { self[name] == nil || text(name) == value }

    /// `key_ops` (RFC 7517 §4.3)
    fileprivate var allowsVerifying: Bool {
        switch self["key_ops"] {
        case nil: true
        case .array(let operations)?: operations.contains(.string("verify"))
        case .object?, .string?, .literal?: false
        }
    }
}
