import ParleyClient
import ParleyProtocol

/// Sends a message with a file, and waits until it is sent, as long as its file goes on.
struct FileDelivery {
    let kind: AttachmentOptions.Kind
    let caption: String?
    let command: SendCommand

    private var gateway: LocalGateway { command.common.gateway }

    func run() async throws {
        let device = try command.sender.device(gateway)
        let delivery: Delivery = try await gateway.messaging(as: device, storage: .database) { client in
            let events = client.events()
            // Before they are sent.
            let waiting = await client.files.uploads()
            do {
                try await client.ready(timeout: gateway.timeout)
                let conversation = try await command.recipient.conversation(by: client).id
                let begun = try await resumed(waiting, by: client, in: conversation)
                let id = if let begun { begun } else { try await send(by: client, to: conversation) }
                return try await outcome(of: id, in: conversation, by: client, events)
            } catch let error as ClientError {
                guard let rejection = error.rejection else { throw error }
                return Delivery.rejected(rejection)
            }
        }
        if case .unanswered = delivery {
            throw ToolError(
                .noAnswer,
                "nothing has moved for \(gateway.timeout.components.seconds) seconds; the file is kept, and goes on with "
                    + "the same command, or with the device's next chat")
        }
        try delivery.report(to: device, gateway, by: command.common.output)
    }

    /// The message with the same file that an earlier run has begun to send.
    private func resumed(
        _ waiting: [FileUpload], by client: MessagingClient, in conversation: ConversationID
    ) async throws(ClientError) -> MessageID? {
        let source = UploadSource(of: kind.path)
        let upload = waiting.first { source != nil && $0.source == source && $0.conversation == conversation }
        guard let upload else { return nil }
        Terminal.report("goes on with what was begun before")
        if upload.state == .paused { try await client.files.resume(upload.message) }
        return upload.message
    }

    private func send(
        by client: MessagingClient, to conversation: ConversationID
    ) async throws -> MessageID {
        let file = OutgoingFile(kind.path, caption: caption)
        let (replyTo, urgent) = (try await command.replyTo?.find(in: conversation, by: client), command.urgent)
        let expiresIn = command.expiresIn.map { Duration.seconds($0) }
        return switch kind {
        case .file:
            try await client.send(
                file: file, to: conversation, replyTo: replyTo, expiresIn: expiresIn, isUrgent: urgent)
        case .image:
            try await client.send(
                image: file, to: conversation, replyTo: replyTo, expiresIn: expiresIn, isUrgent: urgent)
        case .voice(_, let duration, let waveform):
            try await client.send(
                voice: file, duration: duration, waveform: waveform, to: conversation, replyTo: replyTo,
                expiresIn: expiresIn, isUrgent: urgent)
        }
    }

    // MARK: Waiting

    private func outcome(
        of id: MessageID, in conversation: ConversationID, by client: MessagingClient,
        _ events: AsyncStream<ClientEvent>
    ) async throws(ClientError) -> Delivery {
        let (stall, timeout) = (StallClock(), gateway.timeout)
        let result = await withTaskGroup(of: Result<Delivery, ClientError>?.self) { group in
            group.addTask {
                await report(events, of: id, stall)
                return nil
            }
            group.addTask {
                do throws(ClientError) {
                    return .success(try await client.delivery(of: id, in: conversation, timeout: FileDelivery.longest))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await stall.wait(for: timeout)
                return .success(.unanswered)
            }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return .success(.unanswered)
        }
        return try result.get()
    }

    /// The clock of what stands still ends it much earlier.
    private static let longest = Duration.seconds(30 * 86_400)

    private func report(_ events: AsyncStream<ClientEvent>, of id: MessageID, _ stall: StallClock) async {
        var (meter, done, cause) = (ProgressMeter(), -1, "")
        for await event in events {
            guard case .upload(let upload) = event, upload.message == id else { continue }
            if upload.progress.done > done { await stall.restart() }
            done = max(done, upload.progress.done)
            switch upload.state {
            case .running: meter.show(upload.progress)
            case .complete:
                meter.show(upload.progress)
                meter.end()
            case .waiting(let error):
                meter.end()
                if cause != error.description { Terminal.report("waiting: \(error)") }
                cause = error.description
            case .paused:
                meter.end()
                Terminal.report("paused")
            }
        }
        meter.end()
    }
}

/// Measures how long something has stood still.
actor StallClock {
    private var moved = ContinuousClock.now

    func restart() { moved = .now }

    /// Returns when nothing has moved for so long, or when the task is cancelled.
    func wait(for duration: Duration) async {
        while !Task.isCancelled, moved + duration > .now {
            try? await Task.sleep(until: moved + duration, clock: .continuous)
        }
    }
}
