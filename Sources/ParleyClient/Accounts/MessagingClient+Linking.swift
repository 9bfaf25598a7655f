import ParleyCrypto
import ParleyProtocol
import Sodium

// One device of a user hands another the account key, and certifies it (protocol §6, "Linking").

/// What a new device has offered, and waits to be approved for.
struct OpenLink: Sendable {
    let keys: LinkKeyPair
    let offer: LinkOffer
}

/// An account key that was handed over, until the person has seen that it is the one of the other device: the gateway could
/// have made another.
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
    /// The first three groups of the user's half of every safety number: the new device shows the same before it takes the
    /// account key.
    public let digits: [String]
}

extension MessagingClient {
    // MARK: The new device

    /// Whether this device has the account key, and can link others.
    public var isLinked: Bool { keys.standing.secret != nil }

    /// Offers this device to be linked.
    ///
    /// - Returns: the code to show, and when it is over.
    public func offerLink() async throws(ClientError) -> (code: LinkCode, expiresAt: Timestamp) {
        guard !isLinked else { throw .account(.alreadyLinked) }
        let (link, code): (OpenLink, LinkCode)
        do throws(SodiumError) {
            let pair = try LinkKeyPair.generate()
            let offer = LinkOffer(
                identityKey: keys.identityKey.bytes, signingKey: keys.signingPublicKey, linkKey: pair.publicKey)
            (link, code) = (OpenLink(keys: pair, offer: offer), try LinkCode(offer, of: device))
        } catch {
            throw .keys(error)
        }
        openLink = link
        handedAccount = nil
        let pending = try await ask { (gateway) async throws(RequestError) in try await gateway.offerLink(link.offer) }
        return (code, pending.expiresAt)
    }

    /// Waits until another device of the user's has approved.
    ///
    /// - Throws: ``ClientError/timedOut(trouble:)``; ``ClientError/account(_:)`` with `forgedApproval`.
    public func handedAccount(timeout: Duration) async throws(ClientError) -> HandedAccount {
        try await wait(for: .link, until: .now + timeout) { () throws(ClientError) -> HandedAccount? in
            try handedAccount?.get()
        }
    }

    /// Takes the account key that was handed over, and publishes this device with its certificate.
    public func adopt(_ handed: HandedAccount) async throws(ClientError) {
        openLink = nil
        handedAccount = nil
        try change(.adopting(handed.account, handed.certificate))
        try await publishKeys()
    }

    /// The gateway says that a device was approved.
    func take(_ approval: LinkApproval) {
        guard approval.device == device.device, let link = openLink, handedAccount == nil else { return }
        handedAccount = link.open(approval, of: device)
        waiters.wake(.link)
    }

    // MARK: The device that approves

    /// Looks up the device that a code is of.
    ///
    /// - Throws: ``ClientError/account(_:)``: also where the gateway has another offer than the code names.
    public func linkCandidate(_ code: LinkCode) async throws(ClientError) -> LinkCandidate {
        guard let account = keys.standing.secret else { throw .account(.notLinked) }
        guard code.address.user == device.user else { throw .account(.foreignCode) }
        guard code.address != device else { throw .account(.ownCode) }
        let pending: PendingLink
        do throws(ClientError) {
            pending = try await ask { (gateway) async throws(RequestError) in
                try await gateway.link(of: code.address.device)
            }
        } catch {
            throw error.isNotFound ? .account(.noOffer) : error
        }
        guard pending.device == code.address.device, code.binds(pending.offer) else { throw .account(.offerDiffers) }
        return LinkCandidate(
            device: code.address, offer: pending.offer,
            digits: account.publicKey.comparedGroups(of: device.user))
    }

    /// Certifies the device, and hands it the account key. Nothing is certified that its code does not name.
    public func approve(_ candidate: LinkCandidate) async throws(ClientError) {
        guard let account = keys.standing.secret else { throw .account(.notLinked) }
        let approval: LinkApproval
        do throws(SodiumError) {
            approval = LinkApproval(
                device: candidate.device.device,
                certificate: try account.certify(
                    candidate.device, identityKey: candidate.offer.identityKey, signingKey: candidate.offer.signingKey,
                    at: .now),
                sealed: try account.sealed(for: candidate.offer.linkKey))
        } catch {
            throw error == .lowOrderKey ? .account(.offerDiffers) : .keys(error)
        }
        do throws(ClientError) {
            try await ask { (gateway) async throws(RequestError) in try await gateway.approveLink(approval) }
        } catch {
            switch error {
            case .refused(let rejection) where rejection.code == .conflict: throw .account(.alreadyApproved)
            case .refused(let rejection) where rejection.code == .notFound: throw .account(.noOffer)
            default: throw error
            }
        }
        // It publishes with its certificate, and is sealed for from then on.
        freshness.isStale(device.user)
    }
}

extension OpenLink {
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

extension AccountKey {
    /// The groups of digits that are compared in linking: fifty bits, each try of which is dear.
    fileprivate func comparedGroups(of user: UserID) -> [String] { Array(groups(of: user).prefix(3)) }
}

extension ClientError {
    var isNotFound: Bool {
        if case .refused(let rejection) = self { rejection.code == .notFound } else { false }
    }
}
