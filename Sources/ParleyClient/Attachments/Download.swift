import ParleyCrypto
import ParleyProtocol
import PrivateFiles

/// How far a file has come from the door: one request at a time leads to the next step. What has come lies in a file,
/// so that another start goes on with it.
struct Download: Sendable {
    let blob: BlobID
    let seal: AttachmentSeal
    private let file: OpenFile
    private let path: String
    private(set) var offset: Int
    private var piece = PieceSize()

    enum Step: Sendable {
        case going(Download)
        /// The file is at this path, checked.
        case complete(String)
        case later(FileTransferError, Duration?)
        case failed(FileTransferError)
        case cancelled
    }

    /// Opens what has come before. A process that fetches the same beside this one has its own.
    init(_ seal: AttachmentSeal, _ blob: BlobID, in files: SealedFiles) throws(FileError) {
        try files.make()
        var path = files.incoming(seal)
        var file = try OpenFile(path, for: .making)
        let isLocked = try file.lock()
        let isOwn = try file.hasItsName
        if !isLocked || !isOwn {
            path = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
            file = try OpenFile(path, for: .making)
        }
        var offset = try file.size
        if offset > seal.sealedSize {
            try file.truncate(to: 0)
            offset = 0
        }
        (self.blob, self.seal, self.file, self.path, self.offset) = (blob, seal, file, path, offset)
    }

    /// Makes the next request, or checks what has come.
    func advanced(by requests: BlobRequests, _ files: SealedFiles) async -> Step {
        do {
            if offset == seal.sealedSize { return try await completed(in: files) }
            return try await read(requests)
        } catch let error as FileTransferError {
            if Task.isCancelled { return .cancelled }
            return error.passes ? .later(error, nil) : .failed(error)
        } catch {
            return FileTransferError(work: error).map { .failed($0) } ?? .cancelled
        }
    }

    private func read(_ requests: BlobRequests) async throws -> Step {
        let range = offset..<min(offset + piece.count, seal.sealedSize)
        let start = ContinuousClock.now
        let response = try await requests.read(range, of: blob)
        switch response.status {
        case 206:
            guard let field = response.contentRange, field.first == offset, field.last < range.upperBound else {
                return .failed(.notADoor(status: 206))
            }
            guard field.total == seal.sealedSize else { return .failed(.altered(.wrongSize)) }
            // It may have broken off.
            guard response.body.count <= field.last - field.first + 1 else { return .failed(.notADoor(status: 206)) }
        case 200:
            // Without ranges only what comes as a whole can be taken.
            guard response.body.count <= seal.sealedSize else { return .failed(.altered(.wrongSize)) }
            guard offset == 0, response.body.count == seal.sealedSize else { return .failed(.notADoor(status: 200)) }
        case 404: return .failed(.gone)
        case 416: return .failed(.altered(.wrongSize))
        default:
            let failure = response.failure
            return failure.passes ? .later(failure, response.pause) : .failed(failure)
        }
        let (file, offset, body) = (file, offset, response.body)
        guard !body.isEmpty else { return .later(.unreachable("nothing has come"), nil) }
        try await FileExecutor.run { try file.write(body, at: offset) }
        var next = self
        next.offset += body.count
        next.piece.record(.now - start)
        return .going(next)
    }

    /// Nothing of a file is believed before all of it is what the message names.
    private func completed(in files: SealedFiles) async throws -> Step {
        let (file, path, seal) = (file, path, seal)
        do {
            try await FileExecutor.run {
                try file.synchronize()
                try AttachmentFile.verify(seal, path)
            }
        } catch let error as AttachmentError {
            try? files.remove(path)
            return .failed(.altered(error))
        }
        let whole = files.whole(seal)
        try await FileExecutor.run {
            try Files.move(path, to: whole)
            try files.evict(besides: whole)
        }
        return .complete(whole)
    }
}
