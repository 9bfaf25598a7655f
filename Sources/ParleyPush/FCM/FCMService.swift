import ParleyProtocol

/// Sends to Google's push service.
struct FCMService: PushProviding {
    static let provider = PushProvider.fcm
    static let replacesEarlier = true
    static let settings = FCMCredentials.settings

    private let credentials: FCMCredentials
    private let tokens: FCMTokens
    private let client: ServiceClient

    init?(_ configuration: PushConfiguration, _ connections: PushConnections) throws(PushConfigurationError) {
        guard let credentials = try FCMCredentials(configuration) else { return nil }
        self.credentials = credentials
        client = connections.client(of: Self.provider)
        tokens = FCMTokens(credentials, client: client)
    }

    func send(_ delivery: PushDelivery) async -> ServiceAnswer {
        guard case .fcm(let device) = delivery.target else { return .notConfigured }
        var refused: FCMTokens.Token?
        for isLast in [false, true] {
            let token: FCMTokens.Token
            switch await tokens.token(now: delivery.now, insteadOf: refused) {
            case .failure(let failure): return failure.answer
            case .success(let given): token = given
            }
            switch await send(delivery, to: device, with: token) {
            case .done(let answer): return answer
            case .needsToken(let answer) where isLast: return answer
            case .needsToken: refused = token
            }
        }
        return ServiceAnswer(.later(PushProblem(status: nil, "no token"), after: nil), .fails)
    }

    private func send(_ delivery: PushDelivery, to device: String, with token: FCMTokens.Token) async -> FCMAnswer {
        let request = FCM.request(
            delivery, token: device, project: credentials.projectID, url: credentials.url,
            authorization: "Bearer \(token.text)")
        switch await client.post(request) {
        case .failure(let failure): return .done(ServiceAnswer(failure))
        case .success(let reply): return FCMAnswer(reply, now: delivery.now)
        }
    }
}
