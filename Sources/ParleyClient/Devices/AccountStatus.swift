import ParleyCrypto
import ParleyProtocol

/// What a device has of its user's account key.
package enum AccountStatus: Sendable {
    /// No account key has certified its keys: it is to be linked.
    case unlinked
    /// It was given a certificate for its current keys, and not the account's secret.
    case certified(AccountKey, DeviceCertificate)
    /// It has the account's secret, and a certificate by it for its current keys.
    case holder(AccountSecret, DeviceCertificate, isEstablished: Bool)

    package var accountKey: AccountKey? {
        switch self {
        case .unlinked: nil
        case .certified(let key, _): key
        case .holder(let secret, _, _): secret.publicKey
        }
    }

    package var certificate: DeviceCertificate? {
        switch self {
        case .unlinked: nil
        case .certified(_, let certificate), .holder(_, let certificate, _): certificate
        }
    }

    /// The secret, where the device can certify others by it.
    package var secret: AccountSecret? {
        if case .holder(let secret, _, _) = self { secret } else { nil }
    }

    /// Whether the account key was made here and no gateway has accepted it yet: another device of the user's may be
    /// first, and then this one is given up.
    package var isProposed: Bool {
        if case .holder(_, _, isEstablished: false) = self { true } else { false }
    }

    /// Under which the user is known to others: not one that was only proposed.
    var establishedKey: AccountKey? { isProposed ? nil : accountKey }

    var proof: AccountProof? {
        guard let accountKey, let certificate else { return nil }
        return AccountProof(accountKey: accountKey.bytes, certificate: certificate)
    }
}
