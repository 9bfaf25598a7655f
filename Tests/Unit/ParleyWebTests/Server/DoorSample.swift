import Logging
import MQTTWire
import ParleyProtocol

@testable import ParleyWeb

/// What tests of the door itself begin with.
enum DoorSample {
    /// A token in the form of the gateway's; its signature is nobody's.
    static func token(user: String = "alice", device: String = "phone") -> SessionToken? {
        SessionToken(tokenText(user: user, device: device, .device))
    }

    static func tokenText(user: String, device: String, _ role: AccessToken.Role) -> String {
        let claims = AccessToken.Claims(
            user: UserID(validated: user), device: DeviceID(validated: device), expiresAt: 1_800_000_000,
            id: TokenID(UUIDValue.random()), role: role)
        let signed = String(decoding: AccessToken.signingInput(for: claims), as: UTF8.self)
        return "\(signed).\(base64URL([UInt8](repeating: 1, count: 64)))"
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64URL.append(bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Runs a door in this process, before a broker that refuses connections.
    static func withDoor(
        _ limits: DoorLimits, _ accounts: AccountConfiguration? = nil, page: PageFiles? = nil,
        _ body: (_ port: UInt16) async throws -> Void
    ) async throws {
        let refusing = try RefusingPort(0)
        guard let broker = BrokerAddress("127.0.0.1:\(refusing.number)"), let name = ConnectionName("web") else {
            return
        }
        var configuration = WebConfiguration(port: 0, link: BrokerConfiguration(broker, name: name))
        configuration.limits = limits
        configuration.accounts = accounts
        configuration.page = page
        let (ready, isReady) = AsyncStream.makeStream(of: Int.self)
        let door = WebDoor(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { port in
            isReady.yield(port)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Not on the threads of tests that block.
            group.addTask(executorPreference: globalConcurrentExecutor) { try await door.run() }
            var ports = ready.makeAsyncIterator()
            if let port = await ports.next() { try await body(UInt16(clamping: port)) }
            group.cancelAll()
        }
    }
}
