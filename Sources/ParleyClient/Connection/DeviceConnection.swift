import Platform
import ParleyProtocol

/// A device's connection to its gateway: it signs in, and reconnects when the connection breaks.
///
/// It exists while the body of ``open(_:_:)`` runs:
///
/// ```swift
/// try await DeviceConnection.open(configuration) { connection in
///     connection.subscribe(to: Topic.user(user, .events).name)
///     let reply = try await connection.request(operation, payload: Array("{}".utf8))
///     for await event in connection.events { … }
/// }
/// ```
///
/// The broker stores nothing for it: missed messages come from history.
public final class DeviceConnection: Sendable {
    public let device: DeviceAddress
    /// The events, for one reader. A slow reader misses events; the event `missed` says how many.
    public let events: AsyncStream<DeviceEvent>
    private let mailbox: Mailbox

    private init(device: DeviceAddress, events: AsyncStream<DeviceEvent>, mailbox: Mailbox) {
        (self.device, self.events, self.mailbox) = (device, events, mailbox)
    }

    /// Runs `body` with a connection, and closes it afterwards.
    ///
    /// A failed connection throws nothing here: it ends the waiting requests, and the events say why.
    public static func open<Value: Sendable>(
        _ configuration: DeviceConfiguration,
        _ body: @Sendable (DeviceConnection) async throws -> Value
    ) async throws -> Value {
        let mailbox = try Mailbox()
        let outlet = EventOutlet()
        let connection = DeviceConnection(device: configuration.device, events: outlet.events, mailbox: mailbox)
        // Cancelled and awaited when the body has ended, however it does.
        async let _: Void = run(configuration, mailbox, outlet)
        return try await body(connection)
    }

    private static func run(
        _ configuration: DeviceConfiguration, _ mailbox: Mailbox, _ outlet: EventOutlet
    ) async {
        let claimed = ClaimedName(
            configuration.name, of: configuration.device, directory: configuration.directory?.path)
        defer { withExtendedLifetime(claimed) {} }
        await withTaskCancellationHandler {
            do {
                try await LoopThread.run(name: "parley-device") {
                    var loop = DeviceLoop(configuration, name: claimed.name, mailbox, outlet)
                    loop.run()
                }
            } catch {
                // No thread could be made for the loop.
                var loop = DeviceLoop(configuration, name: claimed.name, mailbox, outlet)
                loop.end(.other(error))
            }
        } onCancel: {
            mailbox.requestStop()
        }
    }

    /// Sends a request, and repeats it until there is a reply.
    ///
    /// - Parameters:
    ///   - payload: the request's fields, a JSON object (protocol §4).
    ///   - timeout: counted while there is no connection, too.
    /// - Returns: the reply, which may be a refusal: by the gateway, or by the broker with the code `forbidden`.
    public func request(
        _ operation: Operation, payload: [UInt8], timeout: Duration = .seconds(30)
    ) async throws(NoReplyError) -> GatewayReply {
        try await answer(operation, payload, timeout: timeout)
    }

    /// Sends a message as ``request(_:payload:timeout:)`` does.
    ///
    /// If the message's echo is its reply, this device's own `message.new` ends the request (protocol §4), after it
    /// went to ``events``. That takes a subscription to the conversation's messages: without one the gateway replies to
    /// the first repeat.
    public func send(
        _ message: SendMessage, timeout: Duration = .seconds(30)
    ) async throws(NoReplyError) -> GatewayReply {
        try await answer(
            SendMessage.operation, message.payload(), echo: Echo(of: message), timeout: timeout)
    }

    /// Sends a request that gets no reply, such as `typing/start`.
    ///
    /// - Returns: the broker's refusal as a reply; `nil` when the broker has the request, whatever the gateway makes of
    ///   it.
    @discardableResult
    public func notify(
        _ operation: Operation, payload: [UInt8], timeout: Duration = .seconds(30)
    ) async throws(NoReplyError) -> GatewayReply? {
        try await post(operation, payload, wantsReply: false, timeout: timeout)
    }

    /// Subscribes now and after each reconnection; ``events`` has the broker's answer.
    ///
    /// A later request reaches the broker after the subscription.
    public func subscribe(to filter: String) {
        _ = mailbox.post(.subscribe(filter: filter))
    }

    public func unsubscribe(from filter: String) {
        _ = mailbox.post(.unsubscribe(filter: filter))
    }

    private func answer(
        _ operation: Operation, _ payload: [UInt8], echo: Echo? = nil, timeout: Duration
    ) async throws(NoReplyError) -> GatewayReply {
        guard let reply = try await post(operation, payload, wantsReply: true, echo: echo, timeout: timeout) else {
            throw .malformedReply
        }
        return reply
    }

    private func post(
        _ operation: Operation, _ payload: [UInt8], wantsReply: Bool, echo: Echo? = nil, timeout: Duration
    ) async throws(NoReplyError) -> GatewayReply? {
        let request = PendingRequest(
            key: .random(), operation: operation, payload: payload, wantsReply: wantsReply, echo: echo,
            deadline: .now.advanced(by: timeout))
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (answer: Answer) in
                if let end = mailbox.post(.request(request, answer: answer)) {
                    answer.resume(returning: .failure(.ended(end)))
                }
                // A cancellation before the request was posted found nothing to cancel.
                if Task.isCancelled { _ = mailbox.post(.cancel(request.key)) }
            }
        } onCancel: {
            _ = mailbox.post(.cancel(request.key))
        }
        return try result.get()
    }
}
