import ParleyCrypto
import ParleyProtocol
import Sodium

extension MessagingClient {
    /// Linking devices: one hands another the account key, and certifies it.
    public nonisolated var linking: Linking { Linking(client: self) }

    /// Linking devices: one device of a user hands another the account key, and certifies it (protocol §6, "Linking").
    /// ``MessagingClient/linking``
    public struct Linking: Sendable {
        let client: MessagingClient

        // MARK: The new device

        /// Offers this device to be linked.
        ///
        /// - Returns: the code to show, and when it is over.
        public func offer() async throws(ClientError) -> (code: LinkCode, expiresAt: Timestamp) {
            try await client.perform { context throws(ClientError) in try await context.deviceLinking.offer() }
        }

        /// Waits until another device of the user's has approved.
        ///
        /// - Throws: ``ClientError/timedOut(cause:)``; ``ClientError/account(_:)`` with `forgedApproval`.
        public func handedAccount(timeout: Duration) async throws(ClientError) -> HandedAccount {
            try await client.perform { context throws(ClientError) in
                try await context.waiters.wait(for: .link, until: .now + timeout) {
                    () throws(ClientError) -> HandedAccount? in
                    try context.keyring.link.handedAccount?.get()
                }
            }
        }

        /// Adopts the account key that was handed over, and publishes this device with its certificate.
        public func adopt(_ handed: HandedAccount) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                context.keyring.link.close()
                try context.keyExchange.change(.adopting(handed.account, handed.certificate))
                try await context.keyExchange.publish()
            }
        }

        // MARK: The device that approves

        /// Looks up the device that a code is of.
        ///
        /// - Throws: ``ClientError/account(_:)``: also where the gateway has another offer than the code names.
        public func candidate(_ code: LinkCode) async throws(ClientError) -> LinkCandidate {
            try await client.perform { context throws(ClientError) in try await context.deviceLinking.candidate(code) }
        }

        /// Certifies the device, and hands it the account key. Nothing is certified that its code does not name.
        public func approve(_ candidate: LinkCandidate) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in try await context.deviceLinking.approve(candidate)
            }
        }
    }
}

/// Carries out what ``MessagingClient/Linking`` offers.
struct DeviceLinking {
    let keyring: Keyring, device: DeviceAddress, gateway: GatewayAccess

    nonisolated(nonsending) func offer() async throws(ClientError) -> (code: LinkCode, expiresAt: Timestamp) {
        guard !keyring.isLinked else { throw .account(.alreadyLinked) }
        let own = keyring.own
        let (link, code): (OpenLink, LinkCode)
        do throws(SodiumError) {
            let pair = try LinkKeyPair.generate()
            let offer = LinkOffer(
                identityKey: own.identityKey.bytes, signingKey: own.signingPublicKey, linkKey: pair.publicKey)
            (link, code) = (OpenLink(keys: pair, offer: offer), try LinkCode(offer, of: device))
        } catch {
            throw .keys(error)
        }
        keyring.link.offer(link)
        return (code, try await gateway.ask(link.offer).expiresAt)
    }

    nonisolated(nonsending) func candidate(_ code: LinkCode) async throws(ClientError) -> LinkCandidate {
        let device = device
        guard let account = keyring.own.status.secret else { throw .account(.notLinked) }
        guard code.address.user == device.user else { throw .account(.foreignCode) }
        guard code.address != device else { throw .account(.ownCode) }
        let pending: PendingLink
        do throws(ClientError) {
            pending = try await gateway.ask(GetLink(device: code.address.device))
        } catch {
            throw error.isNotFound ? .account(.noOffer) : error
        }
        guard pending.device == code.address.device, code.binds(pending.offer) else { throw .account(.offerDiffers) }
        return LinkCandidate(
            device: code.address, offer: pending.offer,
            digits: account.publicKey.comparedGroups(of: device.user))
    }

    nonisolated(nonsending) func approve(_ candidate: LinkCandidate) async throws(ClientError) {
        guard let account = keyring.own.status.secret else { throw .account(.notLinked) }
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
            try await gateway.ask(approval)
        } catch {
            switch error {
            case .refused(let rejection) where rejection.code == .conflict: throw .account(.alreadyApproved)
            case .refused(let rejection) where rejection.code == .notFound: throw .account(.noOffer)
            default: throw error
            }
        }
        // It publishes with its certificate, and is sealed for from then on.
        keyring.freshness.markStale(device.user)
    }
}

extension ClientError {
    var isNotFound: Bool {
        if case .refused(let rejection) = self { rejection.code == .notFound } else { false }
    }
}
