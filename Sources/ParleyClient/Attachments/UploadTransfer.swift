import ParleyCrypto
import ParleyProtocol
import PrivateFiles

/// How far an upload has come: one request at a time leads to the next step.
struct UploadTransfer: Hashable, Sendable {
    /// How much the door has; `nil` before it was asked.
    private(set) var offset: Int?
    private(set) var piece = PieceSize()
    /// How often the door has found other bytes than were announced.
    private var wrongDigests = 0

    private static let mostWrongDigests = 3

    enum Step: Sendable {
        case going(UploadTransfer)
        case complete
        case later(FileTransferError, Duration?)
        /// The gateway takes no blob of this id any more, as it was announced before and has expired.
        case expired(FileTransferError)
        case failed(SendError)
        case cancelled
    }

    /// After a break only the door knows.
    mutating func forgetOffset() { offset = nil }

    /// Makes the next request.
    func advanced(_ job: UploadJob, by requests: BlobRequests, _ files: SealedFiles) async -> Step {
        do {
            guard let offset else {
                // Also when it was announced before: it may have expired since.
                try await requests.create(job)
                var next = self
                next.offset = try await requests.offset(of: job)
                return next.offset == job.size ? .complete : .going(next)
            }
            return try await append(at: offset, job, requests, files)
        } catch let error as FileTransferError {
            if Task.isCancelled { return .cancelled }
            if error.passes { return .later(error, nil) }
            if case .refused(.conflict, _) = error, offset == nil { return .expired(error) }
            return .failed(SendError(upload: error))
        } catch is CancellationError {
            return .cancelled
        } catch {
            // The sealed file is gone, or cannot be read.
            return .failed(.fileLost)
        }
    }

    private func append(
        at offset: Int, _ job: UploadJob, _ requests: BlobRequests, _ files: SealedFiles
    ) async throws -> Step {
        let count = min(piece.count, job.size - offset)
        let path = files.outgoing(job.blob)
        let body = try await FileExecutor.run { try OpenFile(path, for: .reading).read(count: count, at: offset) }
        guard body.count == count else { return .failed(.fileLost) }
        let start = ContinuousClock.now
        let response = try await requests.append(body, at: offset, to: job)
        var next = self
        switch response.status {
        case 204:
            guard let reached = response.offset, reached > offset, reached <= offset + count else {
                return .later(.notADoor(status: 204), nil)
            }
            next.offset = reached
            next.piece.record(.now - start)
            return reached == job.size ? .complete : .going(next)
        case 404, 409:
            // Another request has moved it, or it has expired.
            next.offset = nil
            return .later(response.failure, .milliseconds(200))
        case 423: return .later(.refused(.conflict, "another request writes to it"), .seconds(1))
        case 422: return try await handleWrongDigest(job, files)
        default:
            let failure = response.failure
            return failure.passes ? .later(failure, response.pause) : .failed(SendError(upload: failure))
        }
    }

    /// The door is at 0 again. Bytes may have changed on their way; if the file has changed, it is not sent.
    private func handleWrongDigest(_ job: UploadJob, _ files: SealedFiles) async throws -> Step {
        let path = files.outgoing(job.blob)
        let isOwnFault = await !((try? FileExecutor.run { try AttachmentFile.verify(job.seal, path) }) != nil)
        try Task.checkCancellation()
        guard !isOwnFault, wrongDigests < UploadTransfer.mostWrongDigests else { return .failed(.fileLost) }
        var next = self
        next.wrongDigests += 1
        next.offset = 0
        return .going(next)
    }
}

extension SendError {
    init(upload error: FileTransferError) {
        self =
            switch error {
            case .refused(let code, let message): .refused(Rejection(code, message))
            case .noDoor, .noFile, .elsewhere, .unreachable, .doorFull, .notADoor, .gone, .altered, .diskFull, .disk,
                .notRegular, .exists, .tooLarge, .notAnImage, .tooMany:
                .fileLost
            }
    }
}
