import HTTPClient
import ParleyProtocol

/// Fetches the keys of a provider: from a URL of the settings, or from the URL in the provider's discovery document
/// (OpenID Connect Discovery §4).
struct KeyFetch: Sendable {
    /// The longest document, in bytes. Large providers' documents have 30,000.
    static let longestDocument = 262_144

    let client: HTTPClient
    let issuer: ServiceURL
    /// `nil` if the provider's document names it.
    let keysURL: ServiceURL?
    /// For both documents.
    let limit: Duration

    /// - Parameter then: called once, within the limit.
    func run(_ then: @escaping @Sendable (Result<FetchedKeys, KeyProblem>) -> Void) {
        let end = ContinuousClock.now + limit
        if let keysURL { return fetchKeys(keysURL, until: end, then) }
        get(issuer.text.trimmingSlash + "/.well-known/openid-configuration", at: issuer, until: end) { result in
            switch result.flatMap({ keysURL(of: $0.body) }) {
            case .success(let url): fetchKeys(url, until: end, then)
            case .failure(let problem): then(.failure(problem))
            }
        }
    }

    private func fetchKeys(
        _ url: ServiceURL, until end: ContinuousClock.Instant,
        _ then: @escaping @Sendable (Result<FetchedKeys, KeyProblem>) -> Void
    ) {
        get(url.text, at: url, until: end) { result in
            then(
                result.flatMap { reply in
                    guard let keys = KeySet(parsing: reply.body) else { return .failure(.noKeys) }
                    return .success(FetchedKeys(keys: keys, lifetime: KeyLifetime.read(reply)))
                })
        }
    }

    /// `jwks_uri`, if the document is the issuer's own (OpenID Connect Discovery §4.3).
    private func keysURL(of document: [UInt8]) -> Result<ServiceURL, KeyProblem> {
        guard let document = try? JSONObject(parsing: document) else { return .failure(.notJSON) }
        guard (try? document.text("issuer", maximum: 2048)) == issuer.text else { return .failure(.otherIssuer) }
        guard let text = try? document.text("jwks_uri", maximum: 2048),
            let url = ServiceURL(text, allowsLoopback: issuer.isLoopback)
        else { return .failure(.noKeysURL) }
        return .success(url)
    }

    private func get(
        _ text: String, at url: ServiceURL, until end: ContinuousClock.Instant,
        _ then: @escaping @Sendable (Result<HTTPReply, KeyProblem>) -> Void
    ) {
        let request = HTTPRequest.get(
            url: text, headers: [HTTPRequest.Header(name: "Accept", value: "application/json")])
        client.send(request, to: .service(url.origin), until: end) { result in
            switch result {
            case .failure(let failure): then(.failure(.noAnswer(failure)))
            // Redirects are failures, too: only the settings and the provider's document name URLs of keys.
            case .success(let reply) where reply.status != 200: then(.failure(.status(reply.status)))
            case .success(let reply) where reply.body.count >= KeyFetch.longestDocument: then(.failure(.tooLong))
            case .success(let reply): then(.success(reply))
            }
        }
    }
}

/// The reason of a failed fetch, for the operator.
enum KeyProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case noAnswer(SendFailure)
    case status(Int)
    case tooLong
    case notJSON
    /// The document's issuer is not that of the settings.
    case otherIssuer
    /// The document has no permitted URL of keys.
    case noKeysURL
    case noKeys

    var description: String {
        switch self {
        case .noAnswer(.notSent(let reason)), .noAnswer(.answerLost(let reason)): reason
        case .status(let status): "HTTP \(status)"
        case .tooLong: "more than \(KeyFetch.longestDocument) bytes"
        case .notJSON: "the document is not JSON"
        case .otherIssuer: "the document is of another issuer"
        case .noKeysURL: "the document has no usable jwks_uri"
        case .noKeys: "no usable keys"
        }
    }
}

extension String {
    /// Without a slash at its end (OpenID Connect Discovery §4.1).
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
