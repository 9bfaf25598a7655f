import ParleyCrypto
import ParleyProtocol
import Sodium

/// How far a device is with being linked by another one of its user's (protocol §6, "Linking").
enum LinkProgress: Sendable {
    /// It has offered nothing. ``offer(_:)`` leads to `offered`.
    case none
    /// It waits to be approved for this. Another offer takes its place; ``handOver(_:to:)`` leads to `handedOver`, and
    /// what the device adopts leads to `none`.
    case offered(OpenLink)
    /// What was handed over for the offer: the first approval counts. Another offer leads back to `offered`.
    case handedOver(Result<HandedAccount, ClientError>)

    /// What was handed over; `nil` as long as nothing was.
    var handedAccount: Result<HandedAccount, ClientError>? {
        switch self {
        case .none, .offered: nil
        case .handedOver(let account): account
        }
    }

    mutating func offer(_ link: OpenLink) { self = .offered(link) }

    /// The gateway says that a device was approved.
    ///
    /// - Returns: whether that is what was waited for.
    mutating func handOver(_ approval: LinkApproval, to device: DeviceAddress) -> Bool {
        guard case .offered(let link) = self, approval.device == device.device else { return false }
        self = .handedOver(link.open(approval, of: device))
        return true
    }

    /// The account was adopted.
    mutating func close() { self = .none }
}

/// What a new device has offered, and waits to be approved for.
struct OpenLink: Sendable {
    let keys: LinkKeyPair
    let offer: LinkOffer

    /// The account that an approval hands over, if it, its certificate and what was offered belong together.
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

/// An account key that was handed over, until the person has seen that it is the one of the other device: the gateway
/// could have made another.
public struct HandedAccount: Sendable {
    let account: AccountSecret
    let certificate: DeviceCertificate

    /// What the approving device shows, too (``LinkCandidate/digits``).
    public let digits: [String]
}

/// A device of the user's own that would be linked: what its code names is what the gateway has of it.
public struct LinkCandidate: Sendable {
    public let device: DeviceAddress
    let offer: LinkOffer
    /// The first three groups of the user's half of every safety number: the new device shows the same before it takes
    /// the account key.
    public let digits: [String]
}

extension AccountKey {
    /// The groups of digits that are compared in linking: fifty bits, each try of which is dear.
    func comparedGroups(of user: UserID) -> [String] { Array(groups(of: user).prefix(3)) }
}
