import Platform
import ParleyDeviceStore
import ParleyProtocol
import Sodium

/// A command that is stored on the device until the gateway has answered it, so that it can be made without a
/// connection. Commands are sent in order; a repeat does nothing twice.
protocol KeptCommand: ParleyProtocol.Command where Reply: GatewayValue {
    /// A command replaces a waiting one with the same id.
    var keptID: UUIDValue { get throws }

    /// The id of a request that must not overtake this one.
    var successorID: UUIDValue? { get throws }

    /// Names the command when the gateway refuses it.
    var refused: RefusedRequest { get }

    /// The event of an accepted command; `nil` for a reply about something else.
    func event(of reply: Reply) -> ClientEvent?
}

extension KeptCommand {
    var successorID: UUIDValue? { nil }
}

struct KeptRequestSender {
    let progress: ConnectionProgress, requestPacing: RequestPacing
    let configuration: ClientConfiguration, gateway: GatewayAccess, disk: StoreAccess, hub: EventHub
    let requestsSignal: WakeSignal

    static let capacity = 10_000

    /// - Throws: ``ClientError/refused(_:)`` if it is invalid.
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
        // It may have replaced an unreadable one.
        requestPacing.unreadableThrough = .min
        requestsSignal.signal()
    }

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
                // If it cannot be removed, as on a full disk, the repeat waits.
                try disk.write { try $0.removeRequest(kept.entry) }
                hub.emit(event)
            } catch {
                if case .storage(let failure) = error { hub.emit(.storageFailed(failure)) }
                if error.isFault, requestPacing.countFault(of: kept.entry.id) { putBehind(kept.entry, kept.request) }
                requestPacing.fail(error, now: .now, using: &generator)
                continue
            }
            requestPacing.succeed(kept.entry.id)
        }
    }

    /// The first readable request. Unreadable ones, damaged or of another version, stay for a version that can read
    /// them; the app is told once.
    private func first() -> (entry: KeptRequest, request: any KeptCommand)? {
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

    /// Moves a request, and the one that must not overtake it, to the end of the queue, so that others get an answer.
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

    /// - Returns: the event of its answer.
    /// - Throws: an error after which it is sent again.
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
    /// `nil` if it is damaged, or of another version.
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
    /// Whether every repeat will be refused, too.
    var isFinalRefusal: Bool {
        if case .refused(let rejection) = self { !rejection.code.isPassing } else { false }
    }

    fileprivate var isFault: Bool {
        switch self {
        case .malformedReply: true
        case .refused(let rejection): rejection.code == .internal
        default: false
        }
    }
}

extension UUIDValue {
    static func kept(_ fields: String...) throws -> UUIDValue {
        var writer = ByteWriter()
        for field in fields { writer.field(field.utf8) }
        guard let value = nameBased(digest: try BLAKE2b.hash(writer.bytes.span, length: .bytes16)) else {
            throw Rejection.internalFault
        }
        return value
    }
}
