import IdentityDoubles
import Logging
import ParleyProtocol
import Synchronization

@testable import ParleyIdentity

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
