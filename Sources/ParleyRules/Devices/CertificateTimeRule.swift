import ParleyProtocol

/// Checks when a certificate was issued (protocol §6, "Account keys").
enum CertificateTimeRule {
    /// How far ahead of the gateway's clock.
    static let mostAhead = Duration.seconds(300)

    /// - Parameter earlier: of the device's current certificate.
    /// - Throws: `bad_request`
    static func check(_ issuedAt: Timestamp, after earlier: Timestamp?, now: Timestamp) throws(Rejection) {
        guard issuedAt <= now.advanced(by: mostAhead) else {
            throw Rejection(.badRequest, "issued_at: more than five minutes ahead of the gateway's clock")
        }
        guard earlier.map({ issuedAt >= $0 }) ?? true else {
            throw Rejection(.badRequest, "issued_at: earlier than that of the certificate that the device has")
        }
    }
}
