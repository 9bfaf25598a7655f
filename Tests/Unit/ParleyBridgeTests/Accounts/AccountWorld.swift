import ParleyIdentity
import ParleyProtocol
import ParleyRules
import Platform
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Identities as a test says: a token is the subject, unless it is one of those that are refused.
struct TestIdentities: IdentityChecking {
    let providers = [
        IdentityProvider(name: "google", issuer: "https://accounts.google.com", clientIDs: ["app"])
    ]

    func check(
        _ proof: IdentityProof, now: Timestamp,
        then: @escaping @Sendable (Result<Identity, Rejection>) -> Void
    ) {
        if proof.token == "bad" { return then(.failure(Rejection(.unauthenticated, "The token is not valid."))) }
        guard proof.provider == "google" || proof.provider == "apple" else {
            return then(.failure(Rejection(.notFound, "There is no such provider.")))
        }
        let identity = Identity(provider: proof.provider, subject: proof.token)
        then(identity.map { .success($0) } ?? .failure(.internalFault))
    }
}

/// A gateway with accounts: requests go through its desk to its writer.
final class AccountWorld {
    let test: TestWriter
    let desk: AccountDesk
    let queue: OutQueue
    let tokens: TokenIssuer

    /// - Parameter shared: see `TestWriter`.
    init(on shared: Store? = nil, _ change: (inout Settings) -> Void = { _ in }) throws {
        test = try TestWriter(on: shared) { settings in
            settings.openAccounts()
            settings.accountMailsPerAccount = 100
            settings.accountAttemptsPerAccount = 100
            change(&settings)
        }
        try test.addDoor()
        queue = try OutQueue(limit: OutLoad(items: 1000, bytes: 1 << 20))
        tokens = try TestWriter.tokens()
        desk = try AccountDesk(
            store: test.store, settings: test.writer.settings, tokens: tokens, identities: TestIdentities(),
            queue: queue, counters: test.counters, wakeWriter: {})
    }

    /// What is answered to a request, after the desk has done its part.
    func ask(
        _ command: any Command, by sender: DeviceAddress = .webDoor, now: Timestamp = at(0)
    ) throws -> Published {
        let incoming = try request(command, from: sender)
        switch desk.submit(incoming, now: now) {
        case .ready(let incoming): return try reply(to: [incoming], now: now)
        case .refused(let rejection):
            var outgoing = Outgoing()
            outgoing.reject(incoming.route, rejection)
            return try #require(try outgoing.replies.first)
        case .accepted:
            desk.workOnWaiting()
            let found = desk.drainFound()
            if !found.isEmpty { return try reply(to: found, now: now) }
            return try #require(try queue.drainBatches().first?.replies.first)
        }
    }

    private func reply(to commands: [IncomingCommand], now: Timestamp) throws -> Published {
        try #require(try test.carryOut(commands, now: now).effects.outgoing.replies.first)
    }

    /// Mails that are in the outbox, with their codes.
    func mails() throws -> [(to: String, code: String?)] {
        try test.store.read { try $0.mails.next(limit: 100) }.map { stored in
            switch stored.mail.text {
            case .code(_, let seed): (stored.mail.recipient.text, try tokens.accountCode(seed: seed).digits)
            case .notice(.none): ("", nil)
            case .notice: (stored.mail.recipient.text, nil)
            }
        }
    }

    func lastCode() throws -> AccountCode {
        try #require(try mails().last?.code.flatMap { AccountCode($0) })
    }

    static let network = ClientNetwork("192.0.2.1")
    static func email(_ text: String) throws -> EmailAddress { try #require(EmailAddress(text)) }
    static func password(_ text: String) throws -> AccountPassword { try #require(AccountPassword(text)) }

    func register(
        _ email: String, as user: UserID, password: String = "correct horse", id: AccountRequestID = .random(),
        invite: InviteToken? = nil, now: Timestamp = at(0)
    ) throws -> Published {
        try ask(
            Register(
                id: id, network: try #require(Self.network), email: try Self.email(email),
                password: try Self.password(password), newUser: NewUser(user: user, invite: invite)), now: now)
    }

    func verify(
        _ email: String, _ code: AccountCode, password: String = "correct horse", id: AccountRequestID = .random(),
        device: SignInDevice = SignInDevice(), now: Timestamp = at(0)
    ) throws -> Published {
        try ask(
            VerifyRegistration(
                id: id, network: try #require(Self.network), email: try Self.email(email), code: code,
                password: try Self.password(password), device: device), now: now)
    }

    func signIn(
        _ email: String, _ password: String = "correct horse", id: AccountRequestID = .random(),
        device: SignInDevice = SignInDevice(), from network: ClientNetwork? = network, now: Timestamp = at(0)
    ) throws -> Published {
        try ask(
            SignInByPassword(
                id: id, network: try #require(network), email: try Self.email(email),
                password: try Self.password(password), device: device), now: now)
    }

    /// Makes an account and its first device.
    @discardableResult
    func makeAccount(_ email: String, _ user: UserID, password: String = "correct horse") throws -> SignedIn {
        #expect(try register(email, as: user, password: password).isOK == true)
        let signedIn: SignedIn = try verify(email, try lastCode(), password: password).value()
        try test.execute("DELETE FROM mails")
        return signedIn
    }

    func account(of user: UserID) throws -> AccountState { try test.store.read { try $0.account(of: user) } }
}
