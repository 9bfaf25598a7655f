import ParleyProtocol
import ParleyRules
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

/// The examples of commands about accounts.
extension CommandExample {
    private static func requestID(_ low: UInt64) -> AccountRequestID { AccountRequestID(UUIDValue(high: 8, low: low)) }
    private static let seed = [UInt8](repeating: 0, count: 16)
    private static let password = "correct horse"
    /// Somebody whom no read is about.
    private static let gina = device("gina", "phone")
    private static let withGina: @Sendable (SocialWorld) throws -> Void = { try $0.test.addPeople(["gina"]) }
    private static let alice = device("alice", "phone")

    /// The code that follows from the seed of these examples.
    private static func code() throws -> AccountCode { try TestWriter.tokens().accountCode(seed: seed) }

    private static func hash() throws -> PasswordHash {
        var settings = Settings()
        settings.openAccounts()
        return try PasswordHashing(settings).hash(try AccountWorld.password(password))
    }

    /// A code was sent to an address.
    private static func sent(
        _ email: String, _ purpose: @escaping @Sendable () throws -> CodePurpose
    ) -> @Sendable (SocialWorld) throws -> Void {
        { world in
            let code = SentCode(
                email: try AccountWorld.email(email), purpose: try purpose(), seed: seed, expiresAt: at(.days(30)))
            try world.test.store.write { try $0.accountCodes.insert(code) }
        }
    }

    /// A user signs in with these.
    private static func identified(
        _ user: UserID, _ providers: [IdentityProviderName] = [.email], hasPassword: Bool = false
    ) -> @Sendable (SocialWorld) throws -> Void {
        { world in
            try world.test.store.write { transaction in
                for provider in providers {
                    let email = try AccountWorld.email("\(user)@example.com")
                    let identity =
                        provider == .email
                        ? StoredIdentity(email, linkedAt: at(0))
                        : StoredIdentity(provider: provider, subject: "1", linkedAt: at(0))
                    try transaction.identities.set(identity, of: user)
                }
                if hasPassword { try transaction.passwords.set(try hash(), of: user, at: at(0)) }
            }
        }
    }

    static func accountExamples() throws -> [CommandExample] {
        let network = try #require(AccountWorld.network)
        let password = try AccountWorld.password(password)
        let (frank, gina) = (
            try AccountWorld.email("frank@example.com"), try AccountWorld.email("gina@example.com")
        )
        let account = CodePurpose.NewAccount(user: "frank", displayName: nil, invite: nil)
        let proof = IdentityProof(provider: "google", token: "1")
        return [
            CommandExample(LinkIdentity.self) {
                try request(LinkIdentity(id: requestID(1), way: .provider(ProviderLink(proof))), from: alice)
            },
            CommandExample(ConfirmEmail.self, after: sent("frank@example.com") { .link("alice", try hash()) }) {
                try request(ConfirmEmail(id: requestID(2), email: frank, code: try code()), from: alice)
            },
            CommandExample(UnlinkIdentity.self, after: identified("alice", [.email, "google"])) {
                try request(UnlinkIdentity(id: requestID(11), provider: "google"), from: alice)
            },
            CommandExample(SetPassword.self, after: identified("alice")) {
                try request(SetPassword(id: requestID(3), password: password), from: alice)
            },
            CommandExample(SignOutEverywhere.self) {
                try request(SignOutEverywhere(keepsCaller: true), from: alice)
            },
            CommandExample(DeleteAccount.self, after: withGina) {
                try request(DeleteAccount(id: requestID(4), user: "gina"), from: CommandExample.gina)
            },
            CommandExample(Register.self) {
                try request(
                    Register(
                        id: requestID(5), network: network, email: frank, password: password,
                        newUser: NewUser(user: "frank")), from: .webDoor)
            },
            CommandExample(
                VerifyRegistration.self, after: sent("frank@example.com") { .register(account, try hash()) }
            ) {
                try request(
                    VerifyRegistration(
                        id: requestID(6), network: network, email: frank, code: try code(), password: password),
                    from: .webDoor)
            },
            CommandExample(SignInByPassword.self, after: identified("alice", hasPassword: true)) {
                try request(
                    SignInByPassword(
                        id: requestID(7), network: network, email: try AccountWorld.email("alice@example.com"),
                        password: password), from: .webDoor)
            },
            CommandExample(SignInByProvider.self) {
                try request(
                    SignInByProvider(
                        id: requestID(8), network: network, proof: proof, newUser: NewUser(user: "frank")),
                    from: .webDoor)
            },
            CommandExample(SendAccountCode.self) {
                try request(SendAccountCode(id: requestID(9), network: network, email: frank), from: .webDoor)
            },
            CommandExample(
                ResetPassword.self,
                after: { world in
                    try withGina(world)
                    try identified("gina")(world)
                    try sent("gina@example.com") { .reset("gina") }(world)
                }
            ) {
                try request(
                    ResetPassword(
                        id: requestID(10), network: network, email: gina, code: try code(), password: password),
                    from: .webDoor)
            },
        ]
    }
}
