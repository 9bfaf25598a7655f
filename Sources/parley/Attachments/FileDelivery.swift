import ParleyClient
import ParleyProtocol

/// Sends a message with a file, and waits until it is sent.
struct FileDelivery {
    let kind: AttachmentOptions.Kind
    let caption: String?
    let command: SendCommand

    func run() async throws {
        let (gateway, device) = (command.common.gateway, command.sender.device)
        let delivery = try await gateway.messaging(as: device, storage: .database) { client in
            let events = client.events()
            // Before they are sent.
            let waiting = await client.files.uploads()
            try await client.ready(timeout: gateway.timeout)
            let conversation = try await command.recipient.conversation(by: client).id
            let begun = try await resumed(waiting, by: client, in: conversation)
            let id = if let begun { begun } else { try await send(by: client, to: conversation) }
            // It ends with the body.
            async let _: Void = report(events, of: id)
            return Delivery.sent(try await client.outcome(of: id))
        }
        try delivery.report(to: device, gateway)
    }

    /// The message with the same file that an earlier run has begun to send.
    private func resumed(
        _ waiting: [FileUpload], by client: MessagingClient, in conversation: ConversationID
    ) async throws -> MessageID? {
        let source = UploadSource(of: kind.path)
        let upload = waiting.first { source != nil && $0.source == source && $0.conversation == conversation }
        guard let upload else { return nil }
        Terminal.report("goes on with what was begun before")
        if upload.state == .paused { try await client.files.resume(upload.message) }
        return upload.message
    }

    private func send(by client: MessagingClient, to conversation: ConversationID) async throws -> MessageID {
        let file = OutgoingFile(kind.path, caption: caption)
        let (replyTo, urgent) = (command.replyTo, command.urgent)
        let expiresIn = command.expiresIn.map { Duration.seconds($0) }
        return switch kind {
        case .file:
            try await client.send(
                file: file, to: conversation, replyTo: replyTo, expiresIn: expiresIn, isUrgent: urgent)
        case .image:
            try await client.send(
                image: file, to: conversation, replyTo: replyTo, expiresIn: expiresIn, isUrgent: urgent)
        case .voice(_, let duration):
            try await client.send(
                voice: file, duration: duration, to: conversation, replyTo: replyTo, expiresIn: expiresIn,
                isUrgent: urgent)
        }
    }

    private func report(_ events: AsyncStream<ClientEvent>, of id: MessageID) async {
        var meter = ProgressMeter()
        for await event in events {
            guard case .upload(let upload) = event, upload.message == id else { continue }
            switch upload.state {
            case .running, .complete: meter.show(upload.progress)
            case .waiting(let cause): Terminal.report("waiting: \(cause)")
            case .paused: Terminal.report("paused")
            }
        }
    }
}
