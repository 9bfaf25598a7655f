/// A client that a server runs among its other services.
///
/// It has the one method that the protocol `Service` of swift-service-lifecycle asks for, so that an app declares
/// `extension ClientService: @retroactive Service {}`; the client itself does not depend on that package.
public final class ClientService: Sendable {
    private let configuration: ClientConfiguration
    private let body: @Sendable (MessagingClient) async throws -> Void
    private let stops: AsyncStream<Void>
    private let stop: AsyncStream<Void>.Continuation

    /// - Parameter body: what the service does with its client, such as following ``MessagingClient/events()``.
    public init(
        _ configuration: ClientConfiguration, _ body: @escaping @Sendable (MessagingClient) async throws -> Void
    ) {
        (self.configuration, self.body) = (configuration, body)
        (stops, stop) = AsyncStream.makeStream()
    }

    /// Opens the client and runs the body, until it returns, throws, or the service is stopped. Once only.
    ///
    /// - Throws: what the body throws; ``ClientError`` if keys or database cannot be opened; `CancellationError` if the
    ///   task is cancelled.
    public func run() async throws {
        try await MessagingClient.open(configuration) { [body, stops] client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await body(client)
                    return false
                }
                group.addTask {
                    for await _ in stops {}
                    return true
                }
                let isStopped = try await group.next() ?? true
                group.cancelAll()
                do {
                    while try await group.next() != nil {}
                } catch {
                    guard isStopped, ClientService.isCancellation(error) else { throw error }
                }
            }
            try Task.checkCancellation()
        }
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        if case ClientError.cancelled = error { true } else { error is CancellationError }
    }

    /// Ends ``run()``: the body's task is cancelled, the last receipts are sent, and the client is closed. What waits
    /// to be sent is kept for the next run. It may be called before ``run()``, too.
    public func shutDown() { stop.finish() }
}
