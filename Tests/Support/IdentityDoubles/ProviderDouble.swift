import HTTPDoubles
import ParleyIdentity
import ParleyProtocol
import Synchronization

/// A provider of OpenID Connect in this process: its document and its keys, or what a test has it answer instead.
package final class ProviderDouble: Sendable {
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

    package init(keys: [SigningKey], isTLS: Bool = false) throws {
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

    package var issuer: String { "\(isTLS ? "https" : "http")://localhost:\(server.port)" }
    package var keyFetches: Int { server.received.count { $0.path == "/keys" } }
    package var documentFetches: Int { server.received.count { $0.path != "/keys" } }

    package func publish(_ keys: [String]) { answers.state.withLock { $0.keys = keys } }
    package func publish(_ keys: [SigningKey]) { publish(keys.map(\.jwk)) }
    package func setCacheControl(_ text: String?) { answers.state.withLock { $0.cacheControl = text } }

    /// - Parameter reaction: `nil` for the usual one.
    package func answerDocument(_ reaction: HTTPDouble.Reaction?) { answers.state.withLock { $0.document = reaction } }
    package func answerKeys(_ reaction: HTTPDouble.Reaction?) { answers.state.withLock { $0.keysAnswer = reaction } }

    package func close() { server.close() }

    package func token(_ key: SigningKey) -> TokenText {
        TokenText(issuer: issuer, keyID: key.id, algorithm: key.algorithm)
    }

    package func settings(
        name: IdentityProviderName = .google, audiences: [String] = ["app.example", "web.example"],
        keysPath: String? = nil
    ) throws -> IdentityProviderSettings {
        try IdentityProviderSettings(
            name: name, issuer: issuer, audiences: audiences, keysURL: keysPath.map { issuer + $0 })
    }
}
