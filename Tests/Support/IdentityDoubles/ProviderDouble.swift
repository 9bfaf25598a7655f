import HTTPDoubles
import Logging
import ParleyProtocol
import Synchronization
import TestSupport

@testable import ParleyIdentity

/// A provider of OpenID Connect in this process: its document and its keys, or what a test has it answer instead.
final class ProviderDouble: Sendable {
    private struct State {
        /// JSON Web Keys.
        var keys: [String]
        var cacheControl: String?
        var document: HTTPDouble.Reaction?
        var keysAnswer: HTTPDouble.Reaction?
    }

    /// Shared with the server's threads.
    private final class Answers: Sendable {
        let state: Mutex<State>

        init(_ state: State) { self.state = Mutex(state) }
    }

    private let answers: Answers
    private let server: HTTPDouble
    private let isTLS: Bool

    init(keys: [SigningKey], isTLS: Bool = false) throws {
        let answers = Answers(State(keys: keys.map(\.jwk)))
        self.answers = answers
        self.isTLS = isTLS
        let scheme = isTLS ? "https" : "http"
        server = try HTTPDouble(isTLS: isTLS) { request in
            let host = request["host"] ?? ""
            return answers.state.withLock { state in
                switch request.path {
                case "/.well-known/openid-configuration":
                    return state.document
                        ?? .answer(
                            200, body: #"{"issuer":"\#(scheme)://\#(host)","jwks_uri":"\#(scheme)://\#(host)/keys"}"#)
                case "/keys":
                    let headers = state.cacheControl.map { [("Cache-Control", $0)] } ?? []
                    return state.keysAnswer
                        ?? .answer(200, headers, body: #"{"keys":[\#(state.keys.joined(separator: ","))]}"#)
                case "/moved": return .answer(302, [("Location", "/keys")])
                default: return .answer(404)
                }
            }
        }
    }

    var issuer: String { "\(isTLS ? "https" : "http")://localhost:\(server.port)" }
    var keyFetches: Int { server.received.count { $0.path == "/keys" } }
    var documentFetches: Int { server.received.count { $0.path != "/keys" } }

    func publish(_ keys: [String]) { answers.state.withLock { $0.keys = keys } }
    func publish(_ keys: [SigningKey]) { publish(keys.map(\.jwk)) }
    func setCacheControl(_ text: String?) { answers.state.withLock { $0.cacheControl = text } }

    /// - Parameter reaction: `nil` for the usual one.
    func answerDocument(_ reaction: HTTPDouble.Reaction?) { answers.state.withLock { $0.document = reaction } }
    func answerKeys(_ reaction: HTTPDouble.Reaction?) { answers.state.withLock { $0.keysAnswer = reaction } }

    func close() { server.close() }

    func token(_ key: SigningKey) -> TokenText {
        TokenText(issuer: issuer, keyID: key.id, algorithm: key.algorithm)
    }

    func settings(
        name: IdentityProviderName = .google, audiences: [String] = ["app.example", "web.example"],
        keysPath: String? = nil
    ) throws -> IdentityProviderSettings {
        try IdentityProviderSettings(
            name: name, issuer: issuer, audiences: audiences, keysURL: keysPath.map { issuer + $0 })
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let state = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { state.withLock { $0 } }
    func advance(by duration: Duration) { state.withLock { $0 += duration } }
}

/// Runs checks of these providers for as long as `body` goes on.
func withProviders<Value>(
    _ settings: [IdentityProviderSettings], fetchLimit: Duration = .seconds(60), trustRoots: [[UInt8]] = [],
    clock: TestClock = TestClock(), _ body: (IdentityProviders) async throws -> Value
) async throws -> Value {
    let configuration = IdentityConfiguration(
        providers: settings, allowsLoopback: true, trustRoots: trustRoots, connectLimit: .seconds(30),
        fetchLimit: fetchLimit)
    let providers = try IdentityProviders(
        configuration, logger: Logger(label: "identity"), clock: { clock.now })
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await providers.run() }
        defer { providers.stop() }
        return try await body(providers)
    }
}

extension IdentityProviders {
    func result(
        of token: [UInt8], of name: IdentityProviderName = .google, nonce: String? = nil,
        now: Timestamp = TokenText.now
    ) async -> Result<Identity, IdentityError> {
        await withCheckedContinuation { continuation in
            check(token, of: name, nonce: nonce, now: now) { continuation.resume(returning: $0) }
        }
    }
}
