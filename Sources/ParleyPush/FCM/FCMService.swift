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
        while true {
            switch await tokens.token(now: delivery.now, insteadOf: refused) {
            case .failure(let failure): return failure.answer
            case .success(let token):
                let answer = await send(delivery, to: device, with: token)
                guard answer.needsToken, refused == nil else { return answer }
                refused = token
            }
        }
    }

    private func send(
        _ delivery: PushDelivery, to device: String, with token: FCMTokens.Token
    ) async -> ServiceAnswer {
        let request = FCM.request(
            delivery, token: device, project: credentials.projectID, url: credentials.url,
            authorization: "Bearer \(token.text)")
        switch await client.post(request) {
        case .failure(let failure): return ServiceAnswer(failure)
        case .success(let reply): return Self.read(reply, now: delivery.now)
        }
    }
}
