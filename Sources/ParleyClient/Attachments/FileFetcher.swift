import ParleyCrypto
import Platform
import ParleyProtocol

/// Fetches the sealed files of messages from the door, each once at a time.
struct FileFetcher {
    let fetches: Fetches, waiters: Waiters, requests: BlobRequests?, files: SealedFiles

    /// How often a request without progress is repeated before the caller is told.
    private static let mostAttempts = 6

    /// The path of a message's sealed file, once all of it is there and checked.
    ///
    /// - Parameter start: runs a fetch in a task of its own, on the client's actor.
    nonisolated(nonsending) func fetch(
        _ seal: AttachmentSeal, _ blob: BlobID, progress: (Int) -> Void,
        start: (Fetches.Run) -> Task<Void, Never>
    ) async throws(ClientError) -> String {
        let key = Fetches.Key(blob: blob, digest: seal.digest)
        if let path = try found(seal, blob) { return path }
        guard requests != nil else { throw .file(.noDoor) }
        let (run, isFirst) = fetches.join(key)
        if isFirst { fetches.begin(start(run), of: run) }
        defer { fetches.leave(run) }
        try await waiters.wait(for: .file(key)) { () throws(ClientError) -> Void? in
            guard let fetch = fetches[run] else { throw .cancelled }
            progress(fetch.done)
            do throws(FileTransferError) { return try fetch.end?.get() } catch { throw .file(error) }
        }
        guard let path = try found(seal, blob) else { throw .file(.gone) }
        return path
    }

    private func found(_ seal: AttachmentSeal, _ blob: BlobID) throws(ClientError) -> String? {
        do { return try files.find(seal, blob) } catch { throw .file(FileTransferError(error)) }
    }

    /// Fetches until the end, and wakes those who wait.
    nonisolated(nonsending) func run(_ run: Fetches.Run, _ seal: AttachmentSeal) async {
        let result: Result<Void, FileTransferError>
        do throws(FileTransferError) {
            result = .success(try await download(run, seal))
        } catch {
            result = .failure(error)
        }
        fetches.end(run, result)
        waiters.wake(.file(run.key))
    }

    private nonisolated(nonsending) func download(
        _ run: Fetches.Run, _ seal: AttachmentSeal
    ) async throws(FileTransferError) {
        guard let requests else { throw .noDoor }
        var download: Download
        do { download = try Download(seal, run.key.blob, in: files) } catch { throw FileTransferError(error) }
        var backoff = Backoff(first: .milliseconds(500), longest: .seconds(10))
        var attempts = 0
        while true {
            switch await download.advanced(by: requests, files) {
            case .going(let next):
                download = next
                attempts = 0
                backoff.reset()
                fetches.advance(run, to: next.offset)
                waiters.wake(.file(run.key))
            case .complete: return
            case .failed(let error): throw error
            case .later(let error, let pause):
                attempts += 1
                guard attempts < FileFetcher.mostAttempts else { throw error }
                try? await Task.sleep(for: pause ?? backoff.next())
            case .cancelled: throw .unreachable("cancelled")
            }
            if Task.isCancelled { throw .unreachable("cancelled") }
        }
    }
}
