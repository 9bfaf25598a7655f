import ParleyProtocol
import Synchronization

/// The credentials that a connection's thread has asked for and waits for.
final class CredentialsQuestion: Sendable {
    private let state = Mutex<Result<DeviceCredentials, any Error>?>(nil)

    /// - Parameter signal: sent when there is an answer.
    /// - Returns: the task that asks, which the caller cancels when it waits no more.
    func ask(
        _ credentials: @escaping @Sendable () async throws -> DeviceCredentials, signal: LoopSignal
    ) -> Task<Void, Never> {
        Task {
            let result: Result<DeviceCredentials, any Error>
            do {
                result = .success(try await credentials())
            } catch {
                result = .failure(error)
            }
            state.withLock { $0 = result }
            signal.send()
        }
    }

    var answer: Result<DeviceCredentials, any Error>? { state.withLock { $0 } }
}
