import ParleyCrypto
import ParleyProtocol
import Sodium

extension MessagingClient {
    /// Linking: one of the user's devices hands another the account key.
    public nonisolated var linking: Linking { Linking(client: self) }

    /// Linking: one of the user's devices certifies another and hands it the account key (protocol §6, "Linking").
    /// ``MessagingClient/linking``
    public struct Linking: Sendable {
        let client: MessagingClient

        // MARK: The new device

        /// Offers this device for linking.
        ///
        /// - Returns: the code to show, and its expiry.
        public func offer() async throws(ClientError) -> (code: LinkCode, expiresAt: Timestamp) {
            try await client.perform { context throws(ClientError) in try await context.deviceLinking.offer() }
        }

        /// Waits for the approval of another device of the user.
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

        /// Adopts the account key and publishes this device with its certificate.
        public func adopt(_ handed: HandedAccount) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                context.keyring.link.close()
                try context.keyExchange.change(.adopting(handed.account, handed.certificate))
                try await context.keyExchange.publish()
            }
        }

        // MARK: The device that approves

        /// Looks up the device that a code names.
        ///
        /// - Throws: ``ClientError/account(_:)``, also if the gateway's offer differs from the code.
        public func candidate(_ code: LinkCode) async throws(ClientError) -> LinkCandidate {
            try await client.perform { context throws(ClientError) in try await context.deviceLinking.candidate(code) }
        }

        /// Certifies the keys that the code names, and hands the device the account key.
        public func approve(_ candidate: LinkCandidate) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in try await context.deviceLinking.approve(candidate)
            }
        }
    }
}

struct DeviceLinking {
    let keyring: Keyring, device: DeviceAddress, gateway: GatewayAccess

    nonisolated(nonsending) func offer() async throws(ClientError) -> (code: LinkCode, expiresAt: Timestamp) {
        guard !keyring.isLinked else { throw .account(.alreadyLinked) }
        let own = keyring.own
        let pair = try withKeys { try LinkKeyPair.generate() }
        let offer = LinkOffer(
            identityKey: own.identityKey.bytes, signingKey: own.signingPublicKey, linkKey: pair.publicKey)
        let code = try withKeys { try LinkCode(offer, of: device) }
        keyring.link.offer(OpenLink(keys: pair, offer: offer))
        return (code, try await gateway.ask(offer).expiresAt)
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
        // The device publishes its certificate: the next send has to fetch it.
        keyring.freshness.markStale(device.user)
    }
}

extension ClientError {
    var isNotFound: Bool {
        if case .refused(let rejection) = self { rejection.code == .notFound } else { false }
    }
}
