import ParleyProtocol

/// The sender of a request: the ways to present a token, and the pages that may.
struct Credentials: Sendable {
    private let tickets: Tickets
    private let allowedOrigins: Set<String>
    private let takesTokenInURL: Bool

    init(_ configuration: WebConfiguration, _ tickets: Tickets) {
        self.tickets = tickets
        (allowedOrigins, takesTokenInURL) = (configuration.allowedOrigins, configuration.takesTokenInURL)
    }

    static let unauthenticated = Rejection(.unauthenticated, "An access token is needed: Authorization: Bearer TOKEN.")

    static let otherOrigin = Rejection(.forbidden, "Pages of this origin may not use this door.")

    /// `Authorization: Bearer TOKEN` (RFC 6750 §2.1).
    func token(authorization: String?) throws(Rejection) -> SessionToken {
        guard let authorization, let space = authorization.firstIndex(of: " "),
            authorization[..<space].lowercased() == "bearer",
            let token = SessionToken(String(authorization[space...].drop { $0 == " " }))
        else { throw Credentials.unauthenticated }
        return token
    }

    /// The parameters of `/ws` in place of the header, which a browser's WebSocket cannot send: `?ticket=`, and by a
    /// setting `?token=`.
    func socketToken(authorization: String?, target: String) throws(Rejection) -> (SessionToken, Tickets.Use?) {
        if authorization != nil { return (try token(authorization: authorization), nil) }
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for item in query.split(separator: "&") {
            if item.hasPrefix("ticket=") {
                let (token, use) = try tickets.open(item.dropFirst("ticket=".count))
                return (token, use)
            }
            if takesTokenInURL, item.hasPrefix("token="),
                let token = SessionToken(String(item.dropFirst("token=".count)))
            {
                return (token, nil)
            }
        }
        throw Credentials.unauthenticated
    }

    /// - Throws: the refusal of a ticket that was used meanwhile.
    func redeem(_ use: Tickets.Use?) throws(Rejection) {
        if let use { try tickets.redeem(use) }
    }

    /// Whether a page of this origin may use the door (RFC 6454 §7). Other programs than browsers send no origin.
    func isAllowed(origin: String?, host: String?) -> Bool {
        guard let origin else { return true }
        if allowedOrigins.contains(origin) { return true }
        guard let host, let scheme = origin.firstRange(of: "://") else { return false }
        return origin[scheme.upperBound...] == host[...]
    }
}
