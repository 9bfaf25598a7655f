import TestSupport
import Testing

/// Gives all tests of a suite one running gateway, which they must leave as they found it.
struct SharedGateway: SuiteTrait, TestScoping {
    @TaskLocal private static var running: TestGateway?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let gateway = try TestGateway()
        try await SharedGateway.$running.withValue(gateway) { try await function() }
    }

    /// The gateway of the running test's suite.
    static var current: TestGateway {
        get throws {
            guard let running else { throw NeverCameError("a suite with a shared gateway") }
            return running
        }
    }

    /// Two people's devices, for clients.
    static func chatters() throws -> (ChatDevice, ChatDevice) {
        (try current.chatter(), try current.chatter())
    }
}

extension Trait where Self == SharedGateway {
    static var sharedGateway: SharedGateway { SharedGateway() }
}

/// Suites that share one gateway.
@Suite("Gateway", .ownThreads, .sharedGateway)
struct GatewayTests {}

/// The fixture of a suite about one person.
class PersonSuite {
    let gateway: TestGateway
    let alice: DeviceClient

    init() throws {
        gateway = try SharedGateway.current
        alice = try gateway.client()
    }
}

/// The fixture of a suite about three people.
class TrioSuite {
    let gateway: TestGateway
    let alice: DeviceClient
    let bob: DeviceClient
    let carol: DeviceClient

    init() throws {
        gateway = try SharedGateway.current
        let clients = try gateway.clients(3)
        (alice, bob, carol) = (clients[0], clients[1], clients[2])
    }
}

/// The fixture of a suite about one conversation.
class PairSuite {
    let gateway: TestGateway
    let alice: DeviceClient
    let bob: DeviceClient
    /// The direct conversation of the two.
    let conversation: String

    init() throws {
        gateway = try SharedGateway.current
        (alice, bob, conversation) = try gateway.pair()
    }
}
