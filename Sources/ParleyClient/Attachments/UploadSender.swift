import ParleyDeviceStore
import ParleyProtocol

/// Uploads the files of queued messages, and hands the messages on to the ``Sender``. Each of a client's lanes has one
/// of them under way, so that a long one does not hold up all others.
struct UploadSender {
    let uploads: Uploads, outbox: Outbox, disk: StoreAccess, hub: EventHub, outboxEffects: OutboxEffects
    let requests: BlobRequests?, files: SealedFiles
    let sendSignal: WakeSignal

    nonisolated(nonsending) func run(_ signal: WakeSignal) async {
        guard let requests else { return }
        while !Task.isCancelled {
            switch uploads.next(now: .now) {
            case .wait(let time): await signal.wait(until: time)
            case .upload(let id):
                await upload(id, requests)
                uploads.release(id)
            }
        }
    }

    private nonisolated(nonsending) func upload(_ id: MessageID, _ requests: BlobRequests) async {
        emit(id)
        while !Task.isCancelled, let entry = uploads[id], !entry.isPaused {
            let (job, transfer, files) = (entry.job, entry.transfer, files)
            // Ended by a pause, by the message's end, or with this loop.
            let task = Task { await transfer.advanced(job, by: requests, files) }
            uploads.begin(task, of: id)
            let step = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            switch step {
            case .going(let next):
                uploads.advance(id, to: next)
                emit(id)
            case .complete: return finish(id)
            case .cancelled:
                uploads.advance(id, to: UploadTransfer())
                return
            case .later(let cause, let pause):
                uploads.postpone(id, cause, pause: pause, now: .now)
                return emit(id)
            case .expired(let cause):
                guard entry.expired < Uploads.mostExpired else {
                    return outboxEffects.carryOut(outbox.giveUp(id, in: job.conversation, SendError(upload: cause)))
                }
                guard let renewed = try? BlobRenewal(disk: disk, files: files).renew(job) else {
                    uploads.postpone(id, cause, pause: nil, now: .now)
                    return emit(id)
                }
                uploads.replaceJob(renewed)
            case .failed(let reason):
                return outboxEffects.carryOut(outbox.giveUp(id, in: job.conversation, reason))
            }
        }
    }

    private func emit(_ id: MessageID) {
        if let entry = uploads[id] { hub.emit(.upload(entry.shown)) }
    }

    private func finish(_ id: MessageID) {
        guard let entry = uploads.complete(id) else { return }
        // Without this mark the next client asks the door again.
        disk.writeBestEffort { try $0.setUpload(.complete, of: id) }
        hub.emit(.upload(entry.shown(.complete, entry.job.size)))
        let draft = try? disk.read { try $0.queued(id) }?.draft
        outbox.insert(id, in: entry.job.conversation, position: entry.position, draft)
        sendSignal.signal()
    }
}
