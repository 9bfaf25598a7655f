import ParleyProtocol

/// A device's access token, as a client presents it. Only the broker decides whether it is valid: its claims give the
/// topics that its bearer has to name.
struct SessionToken: Hashable, Sendable {
    let text: String
    let address: DeviceAddress

    /// - Returns: `nil` for a malformed token, and for an operator's: the broker accepts that role from local
    ///   connections only, and all connections of the door are local although its clients are not.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let token = AccessToken(parsing: bytes.span), token.claims.role == .device else { return nil }
        self.text = text
        address = token.claims.address
    }

    /// The token of the door's own device, which no client has: it comes from a file of the gateway's.
    ///
    /// - Returns: `nil` for any other.
    init?(ofDoor text: String) {
        let bytes = Array(text.utf8)
        guard let token = AccessToken(parsing: bytes.span), token.claims.role == .door else { return nil }
        self.text = text
        address = token.claims.address
    }

    static func == (one: SessionToken, other: SessionToken) -> Bool { one.text == other.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
