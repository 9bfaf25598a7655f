import ParleyProtocol

/// A device's access token, as somebody showed it to the door. Whether it holds is for the broker to decide: its claims
/// only say whose topics its bearer has to name.
struct SessionToken: Hashable, Sendable {
    let text: String
    let address: DeviceAddress

    /// - Returns: `nil` for what the gateway would not have made, and for a token of an operator's: to the broker this
    ///   door is on its own machine, where alone that role is honoured, and whoever comes to the door may not be.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let token = AccessToken(parsing: bytes.span), token.claims.role == .device else { return nil }
        self.text = text
        address = token.claims.address
    }

    /// The token of the door's own device, which nobody can show: it comes from a file of the gateway's.
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
