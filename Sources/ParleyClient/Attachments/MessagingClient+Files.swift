import ParleyCrypto
import ParleyProtocol
import PrivateFiles

// Sending files: each call seals its file and stores the message before it returns.

extension MessagingClient {
    /// Seals a file on this device and stores a message with it in the send queue. The file is uploaded as soon as
    /// possible, also by a later client of this device, and then the message is sent. Later messages do not wait for
    /// it: it takes its place in the conversation when it is sent.
    ///
    /// The file is read once, now; it may change or go afterwards. ``ClientEvent/upload(_:)`` says how far it is.
    ///
    /// - Parameter progress: of the sealing.
    /// - Throws: ``ClientError/file(_:)``, and what ``send(_:to:replyTo:expiresIn:suite:isUrgent:)`` throws.
    /// - Returns: its id, for ``outcome(of:)`` and the events.
    public func send(
        file: OutgoingFile, to conversation: ConversationID, replyTo: MessageID? = nil, expiresIn: Duration? = nil,
        isUrgent: Bool = false, progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws(ClientError) -> MessageID {
        let options = FileSending(conversation, replyTo, expiresIn, isUrgent, progress)
        return try await send(file, options) { attachment, _ in
            .file(FileMessage(file: attachment, caption: file.caption))
        }
    }

    /// Sends a picture as ``send(file:to:replyTo:expiresIn:isUrgent:progress:)`` sends a file, with its size in pixels
    /// as its first bytes have it.
    ///
    /// - Parameter thumbnail: made by the app; a picture that is small enough is its own.
    /// - Throws: ``FileTransferError/notAnImage`` also for a file that is only named like one.
    public func send(
        image file: OutgoingFile, thumbnail: Thumbnail? = nil, to conversation: ConversationID,
        replyTo: MessageID? = nil, expiresIn: Duration? = nil, isUrgent: Bool = false,
        progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws(ClientError) -> MessageID {
        let options = FileSending(conversation, replyTo, expiresIn, isUrgent, progress)
        return try await send(file, options, needsImage: true) { attachment, start in
            let header = ImageHeader(start)
            let isWhole = attachment.size == start.count
            return .image(
                ImageMessage(
                    file: attachment, width: header?.width, height: header?.height,
                    thumbnail: thumbnail ?? (isWhole ? Thumbnail(start) : nil), caption: file.caption))
        }
    }

    /// Sends a voice message as ``send(file:to:replyTo:expiresIn:isUrgent:progress:)`` sends a file.
    ///
    /// - Parameters:
    ///   - duration: sent as whole milliseconds.
    ///   - waveform: how loud it is, from its beginning to its end; at most 256 values.
    public func send(
        voice file: OutgoingFile, duration: Duration, waveform: [UInt8]? = nil, to conversation: ConversationID,
        replyTo: MessageID? = nil, expiresIn: Duration? = nil, isUrgent: Bool = false,
        progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws(ClientError) -> MessageID {
        guard waveform.map({ (1...WaveformForm.longest).contains($0.count) }) ?? true else {
            throw .content(.invalid("waveform: 1 to \(WaveformForm.longest) values"))
        }
        let options = FileSending(conversation, replyTo, expiresIn, isUrgent, progress)
        return try await send(file, options) { attachment, _ in
            .voice(VoiceNote(file: attachment, duration: duration, waveform: waveform))
        }
    }

    private func send(
        _ file: OutgoingFile, _ options: FileSending, needsImage: Bool = false,
        content: (Attachment, [UInt8]) -> MessageContent
    ) async throws(ClientError) -> MessageID {
        let seconds = try options.expiresIn.map { time throws(ClientError) in try time.expirySeconds() }
        guard configuration.door != nil else { throw .file(.noDoor) }
        guard !context.uploads.isFull else { throw .file(.tooMany) }
        let (id, blob, files) = (MessageID.random(), BlobID.random(), context.files)
        let sealed: SealedSource
        do {
            sealed = try await FileExecutor.run {
                try SealedSource(file, to: files, blob, needsImage: needsImage, options.progress)
            }
        } catch {
            throw ClientError(files: error)
        }
        let attachment = Attachment(
            url: BlobRequests.path(of: blob), seal: sealed.seal, name: file.name,
            mimeType: file.shownType(ImageHeader(sealed.start)))
        do throws(ClientError) {
            let (type, json) = try content(attachment, sealed.start).sendable()
            var draft = Draft(
                type: type, content: json, replyTo: options.replyTo, expiresIn: seconds, writtenAt: .now)
            draft.isUrgent = options.isUrgent
            draft.blob = blob
            let job = UploadJob(message: id, conversation: options.conversation, blob: blob, seal: sealed.seal)
            try context.drafts.enqueue(draft, job, from: sealed.source)
            hub.emit(.messageAdded(draft.message(id, in: options.conversation, of: device, .queued)))
            return id
        } catch {
            try? files.removeOutgoing(blob)
            throw error
        }
    }

    private var configuration: ClientConfiguration { context.configuration }
}

/// What a message with a file has beside it.
private struct FileSending: Sendable {
    let conversation: ConversationID
    let replyTo: MessageID?
    let expiresIn: Duration?
    let isUrgent: Bool
    let progress: @Sendable (FileProgress) -> Void

    init(
        _ conversation: ConversationID, _ replyTo: MessageID?, _ expiresIn: Duration?, _ isUrgent: Bool,
        _ progress: @escaping @Sendable (FileProgress) -> Void
    ) {
        (self.conversation, self.replyTo, self.expiresIn) = (conversation, replyTo, expiresIn)
        (self.isUrgent, self.progress) = (isUrgent, progress)
    }
}

/// A file that was sealed to be sent.
private struct SealedSource: Sendable {
    let seal: AttachmentSeal
    /// Its first bytes.
    let start: [UInt8]
    let source: UploadSource?

    init(
        _ file: OutgoingFile, to files: SealedFiles, _ blob: BlobID, needsImage: Bool,
        _ progress: @Sendable (FileProgress) -> Void
    ) throws {
        guard let status = try Files.regularFile(file.path) else { throw FileTransferError.notRegular(path: file.path) }
        start = try OpenFile(resolving: file.path).read(count: ImageHeader.length, at: 0)
        if needsImage, ImageHeader(start) == nil { throw FileTransferError.notAnImage }
        try files.make()
        seal = try AttachmentFile.seal(file.path, to: files.outgoing(blob)) { done in
            // One that grows meanwhile is not followed without end.
            guard done <= status.size + AttachmentCipher.chunkLength else { throw AttachmentError.wrongSize }
            progress(FileProgress(done: done, total: status.size))
        }
        source = (try? Files.absolutePath(file.path)).map {
            UploadSource(path: $0, size: status.size, changed: max(0, Int(status.changed)))
        }
    }
}

extension Duration {
    /// The seconds after which a message disappears.
    func expirySeconds() throws(ClientError) -> Int {
        let (seconds, rest) = components
        guard rest == 0, let seconds = Int(exactly: seconds), Limits.expirySeconds.contains(seconds) else {
            throw .content(.invalid("expires_in"))
        }
        return seconds
    }
}
