import ParleyIdentity
import ParleyProtocol

/// External services: identity providers and the mail server.
package struct AccountServices: Sendable {
    let identities: any IdentityChecking
    let mailer: any Mailing
    /// Owns their connections until `stop`.
    var run: @Sendable () async throws -> Void = {}
    var stop: @Sendable () -> Void = {}
}

/// For a gateway without mails.
struct NoMails: Mailing {
    func send(
        _ mail: Mail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailingFailure>) -> Void
    ) {
        then(.failure(.refused))
    }
}
