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

/// What one gateway does for its devices. The suites in it share one.
@Suite("Gateway", .ownThreads, .sharedGateway)
struct GatewayTests {}

/// What a suite in it about one conversation begins with.
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
