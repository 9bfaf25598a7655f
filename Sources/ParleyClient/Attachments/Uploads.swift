import Platform
import ParleyProtocol

/// The uploads of queued messages. A message joins the ``Outbox`` when its file is at the door.
///
/// An owner of state (decision 0067): it does no I/O.
final class Uploads {
    struct Entry {
        private(set) var job: UploadJob
        /// The message's, in order of writing.
        let position: Int
        let source: UploadSource?
        var transfer = UploadTransfer()
        var isPaused = false
        var cause: FileTransferError?
        var notBefore: ContinuousClock.Instant?
        var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
        /// The request under way.
        var task: Task<UploadTransfer.Step, Never>?
        var isTaken = false
        /// How many blobs of it the gateway has forgotten.
        private(set) var expired = 0

        init(_ job: UploadJob, position: Int, source: UploadSource?, isPaused: Bool = false) {
            (self.job, self.position, self.source, self.isPaused) = (job, position, source, isPaused)
        }

        /// Goes on as another blob, from the beginning.
        mutating func replaceJob(_ job: UploadJob) {
            (self.job, transfer) = (job, UploadTransfer())
            expired += 1
        }

        var shown: FileUpload {
            let state: FileUpload.State = isPaused ? .paused : cause.map { .waiting($0) } ?? .running
            return shown(state, transfer.offset ?? 0)
        }

        func shown(_ state: FileUpload.State, _ done: Int) -> FileUpload {
            FileUpload(
                message: job.message, conversation: job.conversation,
                progress: FileProgress(done: done, total: job.size), state: state, source: source)
        }
    }

    private var entries: [MessageID: Entry] = [:]
    /// Uploaded files of messages that are not known to be sent.
    private var complete: [MessageID: Entry] = [:]
    /// Complete ones that were uploaded anew, each once.
    private var renewed: Set<MessageID> = []

    static let capacity = 256
    /// How often one file is announced under another id.
    static let mostExpired = 3

    var isFull: Bool { entries.count >= Uploads.capacity }
    subscript(id: MessageID) -> Entry? { entries[id] }
    /// In order of writing.
    private var all: [Entry] { entries.values.sorted { $0.position < $1.position } }

    /// Those of all messages that are not known to be sent, in order of writing.
    var unsent: [FileUpload] {
        let shown =
            entries.values.map { ($0.position, $0.shown) }
            + complete.values.map { ($0.position, $0.shown(.complete, $0.job.size)) }
        return shown.sorted { $0.0 < $1.0 }.map(\.1)
    }

    func insert(_ entry: Entry) {
        complete[entry.job.message] = nil
        entries[entry.job.message] = entry
    }

    func insert(complete entry: Entry) { complete[entry.job.message] = entry }

    enum Next {
        case upload(MessageID)
        case wait(until: ContinuousClock.Instant?)
    }

    /// The next upload; it is the caller's until ``release(_:)``.
    func next(now: ContinuousClock.Instant) -> Next {
        var earliest: ContinuousClock.Instant?
        for entry in all where !entry.isPaused && !entry.isTaken {
            if let time = entry.notBefore, time > now {
                earliest = min(earliest ?? time, time)
                continue
            }
            entries[entry.job.message]?.isTaken = true
            entries[entry.job.message]?.cause = nil
            return .upload(entry.job.message)
        }
        return .wait(until: earliest)
    }

    func release(_ id: MessageID) { entries[id]?.isTaken = false }

    func begin(_ task: Task<UploadTransfer.Step, Never>, of id: MessageID) { entries[id]?.task = task }

    func advance(_ id: MessageID, to transfer: UploadTransfer) {
        entries[id]?.task = nil
        entries[id]?.transfer = transfer
        entries[id]?.backoff.reset()
    }

    func replaceJob(_ job: UploadJob) {
        entries[job.message]?.task = nil
        entries[job.message]?.replaceJob(job)
    }

    func postpone(_ id: MessageID, _ cause: FileTransferError, pause: Duration?, now: ContinuousClock.Instant) {
        entries[id]?.task = nil
        entries[id]?.cause = cause
        entries[id]?.transfer.forgetOffset()
        let wait = pause.map { min($0, SendQueue.longestPause) } ?? entries[id]?.backoff.next() ?? .zero
        entries[id]?.notBefore = now + wait
    }

    /// A new connection: delayed uploads are due at once.
    func markConnected() {
        for id in entries.keys { entries[id]?.notBefore = nil }
    }

    /// - Returns: whether there is such an upload.
    func setPaused(_ id: MessageID, _ isPaused: Bool) -> Bool {
        guard let entry = entries[id] else { return false }
        entries[id]?.isPaused = isPaused
        entries[id]?.notBefore = nil
        if isPaused { entry.task?.cancel() }
        return true
    }

    func complete(_ id: MessageID) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        complete[id] = entry
        return entry
    }

    /// The gateway knows no more of an uploaded file, as a day has passed: it is announced and uploaded again, once.
    func renew(_ id: MessageID) -> Bool {
        guard renewed.insert(id).inserted, var entry = complete.removeValue(forKey: id) else { return false }
        entry.transfer = UploadTransfer()
        entry.isTaken = false
        entries[id] = entry
        return true
    }

    /// A message was sent, or discarded.
    func remove(_ id: MessageID) -> UploadJob? {
        renewed.remove(id)
        let entry = entries.removeValue(forKey: id) ?? complete.removeValue(forKey: id)
        entry?.task?.cancel()
        return entry?.job
    }

    func close() {
        for entry in entries.values { entry.task?.cancel() }
    }
}
