import ParleyProtocol

// MARK: Account key, links and backup

extension GatewayRequests {
    /// Offers the calling device to be linked, in place of what it has offered before.
    public func offerLink(_ offer: LinkOffer) async throws(RequestError) -> PendingLink {
        try await ask(offer)
    }

    /// What a device of the caller's own user has offered.
    public func link(of device: DeviceID) async throws(RequestError) -> PendingLink {
        try await ask(GetLink(device: device))
    }

    public func approveLink(_ approval: LinkApproval) async throws(RequestError) {
        try await carryOut(approval)
    }

    /// Has the gateway keep the sealed account key, in place of what it kept before.
    public func backUpAccount(_ blob: [UInt8]) async throws(RequestError) {
        try await carryOut(BackUpAccount(blob: blob))
    }

    public func accountBackup() async throws(RequestError) -> AccountBackup { try await ask(GetAccountBackup()) }
}
