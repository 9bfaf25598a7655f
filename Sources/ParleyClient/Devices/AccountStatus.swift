import ParleyCrypto
import ParleyProtocol

package enum AccountStatus: Sendable {
    /// Not certified: the device has to be linked.
    case unlinked
    /// The device has a certificate for its current keys, and not the account's secret.
    case certified(AccountKey, DeviceCertificate)
    /// The device has the account's secret, and a certificate for its current keys.
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

    /// The secret, by which the device can certify others.
    package var secret: AccountSecret? {
        if case .holder(let secret, _, _) = self { secret } else { nil }
    }

    /// Whether the account key was made here and no gateway has accepted it: if another device of the user is first,
    /// this key is given up.
    package var isProposed: Bool {
        if case .holder(_, _, isEstablished: false) = self { true } else { false }
    }

    /// The account key by which others know the user: not one that was only proposed.
    var establishedKey: AccountKey? { isProposed ? nil : accountKey }

    var proof: AccountProof? {
        guard let accountKey, let certificate else { return nil }
        return AccountProof(accountKey: accountKey.bytes, certificate: certificate)
    }
}
