import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import PrivateFiles

extension MessagingClient {
    /// The files of messages: those that are uploaded, and those that are fetched.
    public nonisolated var files: Files { Files(client: self) }

    public struct Files: Sendable {
        let client: MessagingClient
    }
}

extension MessagingClient.Files {
    // MARK: Uploads

    /// The uploads of messages that are not sent yet, in order of writing. A client that has just been opened has those
    /// that an earlier client of this device has left.
    public func uploads() async -> [FileUpload] { await client.perform { $0.uploads.unsent } }

    /// Pauses the upload of a message's file, also for later clients. The message waits.
    public func pause(_ message: MessageID) async throws(ClientError) { try await setPaused(true, message) }

    /// Goes on with a paused upload, where the door has the last byte.
    public func resume(_ message: MessageID) async throws(ClientError) { try await setPaused(false, message) }

    private func setPaused(_ isPaused: Bool, _ message: MessageID) async throws(ClientError) {
        try await client.perform { (context) throws(ClientError) in
            guard context.uploads.setPaused(message, isPaused) else { throw .unknownMessage(message) }
            try context.disk.write { try $0.setUpload(isPaused ? .paused : .pending, of: message) }
            if let entry = context.uploads[message] { context.hub.emit(.upload(entry.shown)) }
            for signal in context.wakeUps.uploads { signal.signal() }
        }
    }

    // MARK: Fetching

    /// Fetches the file of a message into the cache, if it is not there, and checks that it is whole and the one that
    /// the message names. A fetch that was broken off goes on where it was.
    ///
    /// - Throws: ``ClientError/file(_:)``.
    public func fetch(
        _ message: ChatMessage, progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws(ClientError) {
        _ = try await sealedFile(of: message, progress)
    }

    /// Fetches the file of a message and opens it into a new file (mode 0600) of this directory. It has the name that
    /// the sender gave it, as far as that is one (``SafeName``); where there is something of this name, another number
    /// stands behind it.
    ///
    /// - Returns: its path.
    /// - Throws: ``ClientError/file(_:)``. Then nothing is left that was not there before.
    public func save(
        _ message: ChatMessage, in directory: String,
        progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws(ClientError) -> String {
        let name = SafeName(message.attachment?.name ?? "")
        guard let path = try await open(message, in: directory, as: name.candidates(), progress) else {
            throw .file(.exists(path: "\(directory)/\(name)"))
        }
        return path
    }

    /// Fetches the file of a message and opens it into this new file (mode 0600).
    ///
    /// - Throws: ``ClientError/file(_:)``, with `exists` if there is something of this name.
    public func save(
        _ message: ChatMessage, to path: String, progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws(ClientError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard !name.isEmpty, name != ".", name != "..",
            try await open(message, in: directory, as: [name], progress) != nil
        else { throw .file(.exists(path: path)) }
    }

    /// Fetches the file of a message and opens it into memory.
    ///
    /// - Parameter maximum: in bytes; a longer file is not fetched.
    /// - Throws: ``ClientError/file(_:)``.
    public func bytes(
        of message: ChatMessage, atMost maximum: Int,
        progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws(ClientError) -> [UInt8] {
        if let size = message.attachment?.size, size > maximum { throw .file(.tooLarge(maximum: maximum)) }
        let (seal, path) = try await sealedFile(of: message, progress)
        return try await use(seal, path) { try AttachmentFile.bytes(seal, path) }
    }

    /// Removes the files that were fetched or sent. Messages stay, and their files can be fetched again.
    public func clearCache() async throws(ClientError) {
        let files = await client.perform { $0.files }
        do { try files.clear() } catch { throw .file(FileTransferError(error)) }
    }

    private func open(
        _ message: ChatMessage, in directory: String, as names: [String],
        _ progress: @escaping @Sendable (FileProgress) -> Void
    ) async throws(ClientError) -> String? {
        let (seal, path) = try await sealedFile(of: message, progress)
        return try await use(seal, path) {
            try AttachmentFile.open(seal, path, in: directory, as: names) { _ in }
        }
    }

    /// Opens a sealed file; afterwards the cache is within its limit again.
    private func use<Value: Sendable>(
        _ seal: AttachmentSeal, _ path: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws(ClientError) -> Value {
        let files = await client.perform { $0.files }
        do {
            return try await FileExecutor.run {
                try? PrivateFiles.Files.touch(path)
                defer { try? files.evict(besides: nil) }
                do {
                    return try body()
                } catch let error as AttachmentError {
                    // If the disk has changed it, the next call fetches it again; if the message lies, it stays.
                    if (try? AttachmentFile.verify(seal, path)) == nil { try? files.removeWhole(seal) }
                    throw error
                }
            }
        } catch {
            throw ClientError(files: error)
        }
    }

    private func sealedFile(
        of message: ChatMessage, _ progress: @escaping @Sendable (FileProgress) -> Void
    ) async throws(ClientError) -> (AttachmentSeal, String) {
        guard let attachment = message.attachment else { throw .file(.noFile) }
        guard let blob = attachment.blob else { throw .file(.elsewhere) }
        let seal: AttachmentSeal
        do { seal = try attachment.seal } catch { throw .file(.altered(error)) }
        let client = client
        let path = try await client.perform { (context) async throws(ClientError) in
            try await context.fileFetcher.fetch(
                seal, blob, progress: { progress(FileProgress(done: $0, total: seal.sealedSize)) },
                start: { run in
                    // It ends by itself, with the last who waits for it, or with the client.
                    Task { await client.perform { await $0.fileFetcher.run(run, seal) } }
                })
        }
        return (seal, path)
    }
}
