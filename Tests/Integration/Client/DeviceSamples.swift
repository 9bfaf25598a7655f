import ParleyClient
import ParleyMosquitto
import ParleyProtocol

extension TestGateway {
    /// How a device signs in beside its other connections.
    func configuration(_ credentials: DeviceCredentials) -> DeviceConfiguration {
        var configuration = DeviceConfiguration(
            gateway: .tcp(host: "127.0.0.1", port: mqttPort), device: credentials.address
        ) { credentials }
        configuration.longestPause = .milliseconds(200)
        return configuration
    }
}

extension DeviceCredentials {
    /// The device that they are of; of what tests make, which is well-formed.
    var address: DeviceAddress {
        DeviceAddress(
            user: UserID(validated: username),
            device: DeviceID(validated: String(clientID.dropFirst(username.utf8.count + 1))))
    }
}

extension SendMessage {
    /// A message that nobody could open.
    static func sample(
        _ conversation: ConversationID, id: MessageID = .random(), echoIsReply: Bool = false
    ) -> SendMessage {
        SendMessage(
            id: id, conversation: conversation, type: .text, suite: .naclBox,
            content: (0..<48).map { _ in UInt8.random(in: 0...255) }, nonce: [UInt8](repeating: 7, count: 24),
            echoIsReply: echoIsReply)
    }
}
