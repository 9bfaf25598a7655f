import ParleyCrypto
import ParleyProtocol

/// The state of this device's linking by another device of its user (protocol §6, "Linking").
enum LinkProgress: Sendable {
    /// No offer. ``offer(_:)`` leads to `offered`.
    case none
    /// An offer that waits for approval. A new offer replaces it, ``handOver(_:to:)`` leads to `handedOver`,
    /// ``close()`` to `none`.
    case offered(OpenLink)
    /// The account that the first approval handed over. A new offer leads back to `offered`.
    case handedOver(Result<HandedAccount, ClientError>)

    var handedAccount: Result<HandedAccount, ClientError>? {
        if case .handedOver(let account) = self { account } else { nil }
    }

    mutating func offer(_ link: OpenLink) { self = .offered(link) }

    /// Handles the gateway's notice of an approval.
    ///
    /// - Returns: whether it answers the offer of this device.
    mutating func handOver(_ approval: LinkApproval, to device: DeviceAddress) -> Bool {
        guard case .offered(let link) = self, approval.device == device.device else { return false }
        self = .handedOver(link.open(approval, of: device))
        return true
    }

    mutating func close() { self = .none }
}

/// A new device's offer, and the secret keys for its answer.
struct OpenLink: Sendable {
    let keys: LinkKeyPair
    let offer: LinkOffer

    /// The account in an approval, if the account, its certificate and the offer belong together.
    fileprivate func open(_ approval: LinkApproval, of device: DeviceAddress) -> Result<HandedAccount, ClientError> {
        guard let account = try? keys.open(approval.sealed),
            account.publicKey.hasCertified(
                device, identityKey: offer.identityKey, signingKey: offer.signingKey, approval.certificate)
        else { return .failure(.account(.forgedApproval)) }
        return .success(
            HandedAccount(
                account: account, certificate: approval.certificate,
                digits: account.publicKey.comparedGroups(of: device.user)))
    }
}

/// An account key that was handed over, before the person has compared its digits: the gateway could have made another
/// key.
public struct HandedAccount: Sendable {
    let account: AccountSecret
    let certificate: DeviceCertificate

    /// The digits that the approving device must show too (``LinkCandidate/digits``).
    public let digits: [String]
}

/// A device of the user that can be linked: its code and the gateway name the same keys.
public struct LinkCandidate: Sendable {
    public let device: DeviceAddress
    let offer: LinkOffer
    /// The first three groups of the user's half of every safety number. The new device must show the same before it
    /// adopts the account key.
    public let digits: [String]
}

extension AccountKey {
    /// The digits that are compared in linking: about fifty bits, each guess of which costs the iterations of a safety
    /// number.
    func comparedGroups(of user: UserID) -> [String] { Array(groups(of: user).prefix(3)) }
}
