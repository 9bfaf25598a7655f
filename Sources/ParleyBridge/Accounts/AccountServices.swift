import ParleyIdentity
import ParleyProtocol

/// What knows people elsewhere: providers of identities, and a server of mail.
package struct AccountServices: Sendable {
    let identities: any IdentityChecking
    let mailer: any Mailing
    /// Owns their connections until `stop`.
    var run: @Sendable () async throws -> Void = {}
    var stop: @Sendable () -> Void = {}
}

/// Where no mail is sent.
struct NoMails: Mailing {
    func send(
        _ mail: Mail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailingFailure>) -> Void
    ) {
        then(.failure(.refused))
    }
}
