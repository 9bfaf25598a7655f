import ParleyDeviceStore
import ParleyProtocol

/// Goes on where an earlier client has ended, however it did.
struct UploadLoading {
    let uploads: Uploads, disk: StoreAccess, files: SealedFiles, hub: EventHub, configuration: ClientConfiguration

    /// Loads the uploads of queued messages, and removes what killed processes have left.
    ///
    /// - Returns: the messages that wait for their files.
    func load(_ queued: [QueuedMessage]) throws(ClientError) -> Set<MessageID> {
        let stored = try disk.read { try $0.uploads() }
        var known: [MessageID: StoredUpload] = [:]
        for upload in stored { known[upload.message] = upload }
        var waiting: Set<MessageID> = []
        var blobs: Set<BlobID> = []
        for item in queued {
            known[item.id].map { _ = blobs.insert($0.blob) }
            guard item.draft?.blob != nil, let job = UploadJob(item) else { continue }
            blobs.insert(job.blob)
            guard item.state == .pending else { continue }
            let upload = known[item.id]
            let source = upload?.source.flatMap { try? UploadSource(json: $0) }
            let entry = Uploads.Entry(
                job, position: item.position, source: source, isPaused: upload?.state == .paused)
            if upload?.state == .complete {
                uploads.insert(complete: entry)
            } else {
                // A rescued message has no row: the door says how much of it there is.
                uploads.insert(entry)
                waiting.insert(item.id)
            }
        }
        if configuration.storage == .database { sweep(stored, queued, blobs) }
        return waiting
    }

    private func sweep(_ stored: [StoredUpload], _ queued: [QueuedMessage], _ blobs: Set<BlobID>) {
        let messages = Set(queued.map(\.id))
        for upload in stored where !messages.contains(upload.message) {
            // It was sent, and the client ended before it could tidy up.
            disk.writeBestEffort { try $0.removeUpload(of: upload.message) }
            try? files.removeOutgoing(upload.blob)
        }
        try? files.sweep(besides: blobs, now: configuration.now().milliseconds)
    }
}
