import ParleyDeviceStore
import ParleyProtocol

/// Gives the file of a queued message the id of another blob, where the gateway has forgotten that of the first.
///
/// The sealed file stays as it is, and so do its digest and the message's id. It has both names until the store has the
/// new one, so that a kill at any line leaves a file that the message names.
struct BlobRenewal {
    let disk: StoreAccess, files: SealedFiles

    func renew(_ job: UploadJob) throws -> UploadJob {
        let blob = BlobID.random()
        try files.nameOutgoing(job.blob, as: blob)
        do {
            try disk.write { transaction in
                guard let draft = try transaction.facts.queued(job.message)?.draft else {
                    throw ClientError.unknownMessage(job.message)
                }
                try transaction.setContent(try draft.naming(blob).json, of: job.message)
                try transaction.setUploadBlob(blob, of: job.message)
            }
        } catch {
            try? files.removeOutgoing(blob)
            throw error
        }
        try? files.removeOutgoing(job.blob)
        return UploadJob(message: job.message, conversation: job.conversation, blob: blob, seal: job.seal)
    }
}

extension Draft {
    /// This message with its file as another blob.
    fileprivate func naming(_ blob: BlobID) throws -> Draft {
        var value = try MessageContent(type: .known(type.type), json: content)
        guard var file = value.attachment else { throw FileTransferError.noFile }
        file.url = BlobRequests.path(of: blob)
        value.replaceAttachment(file)
        var draft = self
        draft.content = try value.encoded()
        draft.blob = blob
        return draft
    }
}

extension MessageContent {
    fileprivate mutating func replaceAttachment(_ file: Attachment) {
        switch self {
        case .voice(var note):
            note.file = file
            self = .voice(note)
        case .image(var image):
            image.file = file
            self = .image(image)
        case .file(var message):
            message.file = file
            self = .file(message)
        case .text, .dietPlan, .workoutPlan, .challenge, .reaction, .resendRequest, .unknown: break
        }
    }
}
