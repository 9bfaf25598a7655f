import Dispatch
import Foundation
import GatewaySite
import ParleyClient
import ParleyMosquitto
import ParleyProtocol
import Synchronization

/// A device of a person, with a directory of its own, as an app has it.
struct TalkingDevice: Sendable {
    let user: UserID
    let configuration: ClientConfiguration

    /// - Parameter root: where the device's directory is made.
    init(_ seat: Population.Seat, port: UInt16, in root: String) throws {
        let address = seat.address
        user = address.user
        let home = DeviceDirectory(of: address, in: root)
        try home.store(
            DeviceCredentials(
                username: user.description, clientID: "\(user):\(address.device)", password: seat.token,
                expiresAt: Timestamp.now.advanced(byMilliseconds: 86_400_000)))
        var connection = DeviceConfiguration(
            gateway: .tcp(host: "127.0.0.1", port: port), device: address
        ) { try home.readCredentials() }
        connection.longestPause = .seconds(1)
        configuration = ClientConfiguration(connection: connection, keys: FileKeyStore(in: home), directory: home)
    }
}

/// The faults that were found, for people.
final class TalkFaults: Sendable {
    private let found = Mutex<[String]>([])

    func add(_ fault: String) { found.withLock { $0.append(fault) } }

    var all: [String] { found.withLock { $0 } }

    /// Adds an event that nothing in a restore accounts for.
    func add(_ event: ClientEvent, at device: DeviceAddress) {
        switch event {
        case .messageAdded(let message), .messageChanged(let message):
            if case .unreadable = message.content { add("\(device) cannot open \(message)") }
        case .keys(.met): break
        case .gatewayFault, .failed, .resendRequested, .resent, .leftOut, .storageFailed, .messageRemoved, .ended,
            .conversationRemoved, .requestRefused, .tokenNotRenewed, .keys, .missed:
            add("\(device): \(event)")
        case .gateway, .connected, .waiting, .change, .status, .receipt, .typing, .conversationAdded, .membersChanged,
            .conversationChanged, .messageRequest, .dayReported, .workoutReported, .presence, .push, .upload,
            .historyReset:
            break
        }
    }
}

/// A client that is open until ``close()``.
struct DeviceSession: Sendable {
    let client: MessagingClient
    /// From its opening until it had all that the gateway has, in seconds.
    let syncSeconds: Double
    private let end: AsyncStream<Never>.Continuation
    /// Ended by ``close()``.
    private let task: Task<Void, any Error>

    static let patience = Duration.seconds(120)

    /// Opens the device's client, and returns when it is up to date.
    static func open(_ device: TalkingDevice, _ faults: TalkFaults) async throws -> DeviceSession {
        let begun = MonotonicTime.now
        let (ready, opened) = AsyncThrowingStream<MessagingClient, any Error>.makeStream()
        let (ending, end) = AsyncStream<Never>.makeStream()
        let task = Task {
            do {
                try await MessagingClient.open(device.configuration) { client in
                    // The client ends this stream when it is closed.
                    let events = client.events()
                    async let _: Void = { for await event in events { faults.add(event, at: client.device) } }()
                    try await client.ready(timeout: patience)
                    opened.yield(client)
                    for await _ in ending {}
                }
            } catch {
                faults.add("\(device.user): \(error)")
                opened.finish(throwing: error)
                throw error
            }
        }
        for try await client in ready {
            let taken = Double(MonotonicTime.now - begun) / 1e9
            return DeviceSession(client: client, syncSeconds: taken, end: end, task: task)
        }
        throw LoadError.interrupted
    }

    func close() async throws {
        end.finish()
        try await task.value
    }
}

extension MessagingClient {
    /// Returns when `condition` holds, which is asked again with each event.
    ///
    /// - Throws: `LoadError.missing` after ``DeviceSession/patience``.
    func awaitCondition(_ what: String, _ condition: @escaping @Sendable () async throws -> Bool) async throws {
        let events = events()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                if try await condition() { return }
                for await _ in events { if try await condition() { return } }
                throw LoadError.interrupted
            }
            group.addTask {
                try await Task.sleep(for: DeviceSession.patience)
                throw LoadError.missing(what)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// Runs `body` in a task, and waits for its end on this thread, which must not be one that tasks run on.
func awaitTask<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = TaskOutcome<Value>()
    // It ends before this function returns.
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        outcome.result.withLock { $0 = result }
        outcome.ended.signal()
    }
    outcome.ended.wait()
    guard let result = outcome.result.withLock({ $0 }) else { throw LoadError.interrupted }
    return try result.get()
}

private final class TaskOutcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let ended = DispatchSemaphore(value: 0)
}
