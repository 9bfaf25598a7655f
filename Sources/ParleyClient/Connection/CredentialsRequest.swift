import ParleyProtocol
import Synchronization

/// Credentials that a connection's thread has requested of the app.
final class CredentialsRequest: Sendable {
    private let state = Mutex<Result<DeviceCredentials, any Error>?>(nil)

    /// - Parameter signal: sent with the answer.
    /// - Returns: the task, for the caller to cancel.
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
