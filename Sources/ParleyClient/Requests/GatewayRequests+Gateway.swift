import ParleyProtocol

extension GatewayRequests {
    /// What the gateway is, what it bounds its devices by, and which operations it has.
    public func gatewayInfo() async throws(RequestError) -> GatewayInfo { try await ask(GetGatewayInfo()) }
}
