import ParleyIdentity
import ParleyProtocol

/// External services: identity providers and the mail server, as far as the settings have them.
package struct AccountServices: Sendable {
    let identityProviders: IdentityProviders?
    let mailServer: Mailer?

    var identities: any IdentityChecking { KnownProviders(checker: identityProviders) }
    var mailer: any Mailing { SentMails(mailer: mailServer) }

    /// Owns their connections until `stop`.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let identityProviders { group.addTask { try await identityProviders.run() } }
            if let mailServer { group.addTask { try await mailServer.run() } }
            try await group.waitForAll()
        }
    }

    func stop() {
        identityProviders?.stop()
        mailServer?.stop()
    }
}

private struct KnownProviders: IdentityChecking {
    let checker: IdentityProviders?

    var providers: [IdentityProvider] {
        (checker?.settings ?? []).map {
            IdentityProvider(name: $0.name, issuer: $0.issuer, clientIDs: $0.audiences)
        }
    }

    func check(
        _ proof: IdentityProof, now: Timestamp, then: @escaping @Sendable (Result<Identity, Rejection>) -> Void
    ) {
        guard let checker else { return then(.failure(IdentityError.unknownProvider.rejection)) }
        checker.check(Array(proof.token.utf8), of: proof.provider, nonce: proof.nonce, now: now) { result in
            then(result.mapError { $0.rejection })
        }
    }
}

private struct SentMails: Mailing {
    let mailer: Mailer?

    func send(_ mail: Mail, now: Timestamp, then: @escaping @Sendable (Result<Void, MailingFailure>) -> Void) {
        guard let mailer else { return then(.failure(.refused)) }
        mailer.send(mail, now: now) { result in then(result.mapError { $0.isPassing ? .passing : .refused }) }
    }
}
