import ParleyClient
import ParleyProtocol
import PrivateFiles
import TerminalPictures

// The commands of a chat about files; each runs in the background and reports its result. Nothing of a file is run, and
// no other program is started for it.

extension TerminalChat {
    /// Sends a file; a picture, by its first bytes, as a picture.
    func send(file path: String, to conversation: ConversationID, _ start: Start) {
        let client = client
        start {
            do throws(ClientError) {
                let path = path.expandingHome
                let file = OutgoingFile(path)
                let begin = try? OpenFile(resolving: path).read(count: ImageHeader.length, at: 0)
                if let begin, ImageHeader(begin) != nil {
                    _ = try await client.send(image: file, to: conversation)
                } else {
                    _ = try await client.send(file: file, to: conversation)
                }
                return nil
            } catch {
                return .failed(error)
            }
        }
    }

    /// Saves a message's file, in a directory or as a new file.
    func save(
        _ id: MessageID, in conversation: ConversationID, to path: String?, until stop: StopSignal, _ start: Start,
        _ post: @escaping @Sendable (Happening) -> Void
    ) {
        fetch(id, in: conversation, until: stop, start, post) { (client, message, progress) async throws(ClientError) in
            let path = path?.expandingHome ?? "."
            guard Files.isDirectory(path) else {
                try await client.files.save(message, to: path, progress: progress)
                return .noticed("Saved as \(path).")
            }
            return .noticed("Saved as \(try await client.files.save(message, in: path, progress: progress)).")
        }
    }

    /// Shows a picture, if the terminal can, and else what the file is.
    func open(
        _ file: NumberedFile, in conversation: ConversationID, _ support: PictureSupport, _ room: PictureRoom,
        until stop: StopSignal, _ start: Start, _ post: @escaping @Sendable (Happening) -> Void
    ) {
        let number = file.number
        fetch(file.message, in: conversation, until: stop, start, post) {
            (client, message, progress) async throws(ClientError) in
            guard case .opened(let content) = message.content, let file = content.value.attachment else {
                throw .file(.noFile)
            }
            let claim = "\(file.shownParts.joined(separator: ", "))"
            let advice = "/save \(number) puts it on your disk; nothing of it is run."
            guard content.value.isPicture, file.size <= PNGPicture.longest else {
                return .noticed("\(claim), as \(message.sender.user) says. \(advice)")
            }
            let bytes = try await client.files.bytes(of: message, atMost: PNGPicture.longest, progress: progress)
            guard let header = ImageHeader(bytes) else {
                return .noticed("\(claim), as \(message.sender.user) says, but it is no picture. \(advice)")
            }
            let size = header.width.flatMap { width in header.height.map { ", \(width)×\($0)" } } ?? ""
            let found = "\(file.shownName), \(ByteCount(file.size)), \(header.kind.rawValue)\(size)"
            guard support != .none else { return .noticed("\(found). This terminal shows no pictures. \(advice)") }
            for candidate in [bytes] + [content.value.thumbnail].compactMap({ $0 }) {
                guard let picture = PNGPicture(candidate), let drawing = support.drawing(of: picture, in: room) else {
                    continue
                }
                return .picture(drawing, found)
            }
            let reason = header.kind == .png ? "It is damaged, or too large to be shown." : "Only PNG is shown here."
            return .noticed("\(found). \(reason) \(advice)")
        }
    }

    /// Finds a message and works with its file, whose way is shown meanwhile.
    private func fetch(
        _ id: MessageID, in conversation: ConversationID, until stop: StopSignal, _ start: Start,
        _ post: @escaping @Sendable (Happening) -> Void,
        _ use:
            @escaping @Sendable (MessagingClient, ChatMessage, @escaping @Sendable (FileProgress) -> Void)
            async throws(ClientError) -> Happening
    ) {
        let client = client
        start {
            let (result, wasStopped) = await stop.stopping { () async -> Happening in
                do throws(ClientError) {
                    let message = try await client.message(id, in: conversation)
                    let name = message.attachment?.shownName ?? ""
                    return try await use(client, message) { progress in
                        post(.transfer(ChatTransfer(key: .download(id), name: name, progress: progress)))
                    }
                } catch {
                    return .failed(error)
                }
            }
            // What was stopped is not over, unless it was too late for that.
            if wasStopped, case .failed = result { return nil }
            post(.transferOver(.download(id)))
            return result
        }
    }

    /// Pauses an upload, or lets it go on; its event says so.
    func pauseUpload(_ id: MessageID, _ isPaused: Bool, _ start: Start) {
        let client = client
        start {
            do throws(ClientError) {
                if isPaused { try await client.files.pause(id) } else { try await client.files.resume(id) }
                return nil
            } catch {
                return .failed(error)
            }
        }
    }

    /// Shows the uploads that an earlier chat has paused.
    func showPausedUploads(
        in conversation: ConversationID, _ start: Start, _ post: @escaping @Sendable (Happening) -> Void
    ) {
        let client = client
        start {
            for upload in await client.files.uploads() where upload.conversation == conversation {
                if upload.state == .paused, let transfer = upload.transfer { post(.transfer(transfer)) }
            }
            return nil
        }
    }
}

/// A message's file by the number that the chat shows.
struct NumberedFile: Hashable, Sendable {
    let message: MessageID
    let number: Int
}

extension MessageContent {
    /// Whether its sender says that it is one.
    fileprivate var isPicture: Bool {
        if case .image = self { return true }
        return attachment?.shownType?.hasPrefix("image/") == true
    }

    fileprivate var thumbnail: [UInt8]? {
        if case .image(let image) = self { image.thumbnail?.bytes } else { nil }
    }
}

extension String {
    /// With one's home directory in the place of a `~/` at its beginning.
    fileprivate var expandingHome: String {
        guard hasPrefix("~/"), let home = Environment["HOME"] else { return self }
        return home + dropFirst()
    }
}
