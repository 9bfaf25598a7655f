import Platform
import ParleyDeviceStore
import ParleyProtocol
import Sodium

/// A command that is kept on the device until the gateway has answered it: what was done in a tunnel is told when there
/// is a connection, in the order in which it was done. A repeat of it does nothing twice.
protocol KeptCommand: ParleyProtocol.Command where Reply: GatewayValue {
    /// Another command for the same takes the place of one that waits.
    var keptID: UUIDValue { get throws }

    /// The id of another request that must not overtake this one, should both wait.
    var successorID: UUIDValue? { get throws }

    /// What is not done if the gateway refuses it.
    var refused: RefusedRequest { get }

    /// What is emitted when the gateway has carried it out; `nil` for a reply that is about something else.
    func event(of reply: Reply) -> ClientEvent?
}

extension KeptCommand {
    var successorID: UUIDValue? { nil }
}

/// Keeps requests, and makes them one after the other.
struct KeptRequestSender {
    let progress: ConnectionProgress, requestPacing: RequestPacing
    let configuration: ClientConfiguration, gateway: GatewayAccess, disk: StoreAccess, hub: EventHub
    let requestsSignal: WakeSignal

    /// How many may wait.
    static let capacity = 10_000

    /// Keeps a request: it is on disk when this returns.
    ///
    /// - Throws: ``ClientError/refused(_:)`` for what the gateway would not even read.
    func keep<R: KeptCommand>(_ request: R) throws(ClientError) {
        let payload = request.payload()
        do {
            _ = try R(members: JSONObject(parsing: payload))
        } catch let rejection as Rejection {
            throw .refused(rejection)
        } catch {
            throw .refused(.internalFault)
        }
        let content = Array("\(R.operation)\n".utf8) + payload
        let isKept = try disk.write { transaction in
            guard try transaction.facts.requestCount() < Self.capacity else { return false }
            try transaction.keepRequest(try request.keptID, content)
            return true
        }
        guard isKept else { throw .queueFull }
        // It may have come in the place of one that could not be read.
        requestPacing.unreadableThrough = .min
        requestsSignal.signal()
    }

    /// Makes the requests that wait, and waits for more.
    nonisolated(nonsending) func run() async {
        var generator = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            let pause = requestPacing.pausedUntil(now: .now)
            guard progress.isConnected, pause == nil, let kept = first() else {
                await requestsSignal.wait(until: progress.isConnected ? pause : nil)
                continue
            }
            do throws(ClientError) {
                let event = try await outcome(of: kept.request)
                // Where it cannot be removed, as on a full disk, it is not made again at once.
                try disk.write { try $0.removeRequest(kept.place) }
                hub.emit(event)
            } catch {
                if case .storage(let failure) = error { hub.emit(.storageFailed(failure)) }
                if error.isFault, requestPacing.countFault(of: kept.place.id) { putBehind(kept.place, kept.request) }
                requestPacing.fail(error, now: .now, using: &generator)
                continue
            }
            requestPacing.succeed(kept.place.id)
        }
    }

    /// The first that can be read. Those that cannot, being damaged or of another version, stay where they are, for a
    /// version that can; the app is told once a run.
    private func first() -> (place: KeptRequest, request: any KeptCommand)? {
        while let kept = try? disk.read({ try $0.request(after: requestPacing.unreadableThrough) }) {
            if let request = kept.request { return (kept, request) }
            requestPacing.unreadableThrough = kept.position
            let path = configuration.databasePath
            let failure: DeviceStoreError =
                kept.content == nil ? .damaged(path: path) : .tooNew(path: path, version: "unknown")
            if requestPacing.disclose(failure) { hub.emit(.storageFailed(failure)) }
        }
        return nil
    }

    /// Puts a request behind those that wait, for which the gateway may have an answer, and behind it what must not
    /// overtake it.
    private func putBehind(_ kept: KeptRequest, _ request: any KeptCommand) {
        disk.writeBestEffort { transaction in
            try transaction.putBehind(kept)
            if let id = try request.successorID, let next = try transaction.facts.request(of: id),
                next.position > kept.position
            {
                try transaction.putBehind(next)
            }
        }
    }

    /// Makes a request.
    ///
    /// - Returns: what is emitted of its answer.
    /// - Throws: why it is to be made again.
    private nonisolated(nonsending) func outcome(
        of request: any KeptCommand
    ) async throws(ClientError) -> ClientEvent {
        do throws(ClientError) {
            return try await ask(request)
        } catch {
            guard case .refused(let rejection) = error, error.isFinalRefusal else { throw error }
            return .requestRefused(request.refused, rejection)
        }
    }

    private nonisolated(nonsending) func ask<R: KeptCommand>(_ request: R) async throws(ClientError) -> ClientEvent {
        guard let event = request.event(of: try await gateway.ask(request)) else { throw .malformedReply }
        return event
    }
}

extension KeptRequest {
    /// What was kept; `nil` where that is damaged, or of another version.
    fileprivate var request: (any KeptCommand)? {
        guard let content, let end = content.firstIndex(of: UInt8(ascii: "\n")),
            let operation = ParleyProtocol.Operation(text: String(decoding: content[..<end], as: UTF8.self)),
            let type = OperationTable.request(operation) as? any KeptCommand.Type,
            let object = try? JSONObject(parsing: Array(content[(end + 1)...]))
        else { return nil }
        return try? type.init(members: object)
    }
}

extension ClientError {
    /// Whether the gateway will say the same whenever it is asked.
    var isFinalRefusal: Bool {
        if case .refused(let rejection) = self { !rejection.code.isPassing } else { false }
    }

    /// Whether the gateway, or its answer, is at fault.
    fileprivate var isFault: Bool {
        switch self {
        case .malformedReply: true
        case .refused(let rejection): rejection.code == .internal
        default: false
        }
    }
}

extension UUIDValue {
    /// The same for the same fields.
    static func kept(_ fields: String...) throws -> UUIDValue {
        var writer = ByteWriter()
        for field in fields { writer.field(field.utf8) }
        guard let value = nameBased(digest: try BLAKE2b.hash(writer.bytes.span, length: .bytes16)) else {
            throw Rejection.internalFault
        }
        return value
    }
}
