import OpenSSL
import ParleyProtocol

/// The access token for Google's push service, fetched for an assertion that the account's key signs (RFC 7523), and
/// used until five minutes before it expires. Deliveries wait while it is fetched.
actor FCMTokens {
    struct Token: Hashable {
        let text: String
        let until: ContinuousClock.Instant
    }

    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// A token that expires sooner is fetched again.
    static let reserve: Duration = .seconds(300)

    private let credentials: FCMCredentials
    private let client: ServiceClient
    private var token: Token?
    private var isFetching = false
    private var waiting: [CheckedContinuation<Result<Token, TokenFailure>, Never>] = []

    init(_ credentials: FCMCredentials, client: ServiceClient) {
        self.credentials = credentials
        self.client = client
    }

    /// - Parameter refused: a token that the service has refused, and that is not returned again.
    func token(now: Timestamp, insteadOf refused: Token? = nil) async -> Result<Token, TokenFailure> {
        if let token, token != refused, token.until > .now { return .success(token) }
        if isFetching { return await withCheckedContinuation { waiting.append($0) } }
        token = nil
        isFetching = true
        let result = await fetch(now: now)
        isFetching = false
        if case .success(let fetched) = result { token = fetched }
        for waiter in exchange(&waiting, with: []) { waiter.resume(returning: result) }
        return result
    }

    private func fetch(now: Timestamp) async -> Result<Token, TokenFailure> {
        let asked = ContinuousClock.now
        guard let assertion = try? FCMTokens.assertion(credentials, now: now) else {
            return .failure(TokenFailure(problem: PushProblem(status: nil, "no token could be signed")))
        }
        switch await client.post(FCMTokens.request(assertion: assertion, at: credentials.tokenURI)) {
        // The notification was not sent in any case.
        case .failure(let failure):
            return .failure(TokenFailure(problem: PushProblem(status: nil, "token: " + failure.problem.description)))
        case .success(let reply): return FCMTokens.read(reply, asked: asked, now: now)
        }
    }

    static func request(assertion: String, at uri: String) -> PushRequest {
        PushRequest(
            url: uri, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8))
    }

    static func read(_ reply: PushReply, asked: ContinuousClock.Instant, now: Timestamp) -> Result<Token, TokenFailure>
    {
        let object = try? JSONObject(parsing: reply.body)
        guard reply.isSuccess else {
            let reason = Reason.text(try? object?.text("error", maximum: 64)) ?? "HTTP \(reply.status)"
            return .failure(
                TokenFailure(
                    problem: PushProblem(status: reply.status, "token: \(reason)"),
                    after: RetryAfter.parse(reply.retryAfter, now: now)))
        }
        guard let object, let text = try? object.text("access_token", maximum: 4096), !text.isEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let seconds = try? object.integer("expires_in", in: 1...Int.max)
        else { return .failure(TokenFailure(problem: PushProblem(status: reply.status, "token: no answer of OAuth"))) }
        let lifetime = Duration.seconds(min(seconds, 86_400))
        return .success(Token(text: text, until: asked + max(lifetime - reserve, lifetime / 2)))
    }

    /// The claims of RFC 7523 §3, with the token's scope.
    private static func assertion(_ credentials: FCMCredentials, now: Timestamp) throws(TokenError) -> String {
        let issued = Int(now.milliseconds / 1000)
        return try SignedToken.make(by: credentials.key.sign) {
            $0.member("alg", "RS256")
            $0.member("typ", "JWT")
            $0.member("kid", credentials.keyID)
        } claims: {
            $0.member("iss", credentials.clientEmail)
            $0.member("scope", scope)
            $0.member("aud", credentials.tokenURI)
            $0.member("iat", issued)
            $0.member("exp", issued + 3600)
        }
    }
}

/// Why there is no access token.
struct TokenFailure: Error, Hashable, Sendable {
    let problem: PushProblem
    var after: Duration?

    var answer: ServiceAnswer {
        ServiceAnswer(.later(problem, after: after), after.map { .throttled(for: $0) } ?? .fails)
    }
}
