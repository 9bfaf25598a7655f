import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ParleyProtocol
import PrivateFiles

/// The file of an upload, locked.
final class DiskBlobWriter: BlobWriter {
    private struct State {
        var offset: Int
        /// `nil` once the upload is closed.
        var file: OpenFile?
        var digest: RunningDigest?
    }

    private let store: DiskBlobStore
    private let upload: BlobUpload
    private let blob: Blob
    private let state: NIOLockedValueBox<State>

    /// How much is read at once for the digest of what an earlier process has written.
    private static let chunk = 262_144

    /// So much of an upload waits for the disk. Its last sync would else hold up everybody who syncs on this file
    /// system, the gateway's database before all, for as long as it takes to write the file.
    private static let mostUnwritten = 16 << 20

    /// Opens the file and locks it. It waits for the disk.
    ///
    /// - Returns: `nil` if there is none.
    init?(_ store: DiskBlobStore, _ upload: BlobUpload, _ blob: Blob) throws {
        let file: OpenFile
        do throws(FileError) {
            file = try OpenFile(store.names.path(of: upload), for: .writing)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        guard try file.lock() else { throw BlobStoreError.locked }
        // Whoever had the lock before may have completed or removed it.
        guard try file.hasItsName else { return nil }
        let size = try file.size
        // More than there is room for was never accepted: another blob of the same id is meant.
        if size > blob.size { try file.truncate(to: 0) }
        let offset = size > blob.size ? 0 : size
        let known = store.digests.withLockedValue { $0[upload] }
        let digest = known.flatMap { $0.count == offset ? $0 : nil }
        store.digests.withLockedValue { $0[upload] = nil }
        (self.store, self.upload, self.blob) = (store, upload, blob)
        state = NIOLockedValueBox(
            State(offset: offset, file: file, digest: try digest ?? (offset == 0 ? RunningDigest() : nil)))
    }

    var offset: Int { state.withLockedValue { $0.offset } }

    func write(_ parts: [ByteBuffer], on loop: any EventLoop) -> EventLoopFuture<Void> {
        store.pool.runIfActive(eventLoop: loop) { [self] in try write(parts) }
    }

    /// Writes all of the parts or none.
    private func write(_ parts: [ByteBuffer]) throws {
        let (start, file, digest) = state.withLockedValue { ($0.offset, $0.file, $0.digest) }
        guard let file else { throw BlobStoreError.missing }
        var end = start
        do {
            let count = parts.reduce(0) { $0 + $1.readableBytes }
            guard try file.freeBytes - store.reserve >= count else { throw BlobStoreError.full }
            for part in parts {
                try unsafe part.withUnsafeReadableBytes { try file.write($0, at: end) }
                end += part.readableBytes
            }
            if start / DiskBlobWriter.mostUnwritten != end / DiskBlobWriter.mostUnwritten { try file.synchronize() }
        } catch {
            // A part of a part would stay behind an offset that nobody was told.
            try? file.truncate(to: start)
            throw BlobStoreError(error)
        }
        // What the digest lacks is read when the upload is complete.
        if let digest { for part in parts { try digest.update(part.readableBytesUInt8Span) } }
        state.withLockedValue { [end] in $0.offset = end }
    }

    /// What was written is in the file.
    func keep() async {}

    func complete() async throws(BlobStoreError) {
        do {
            try await store.pool.runIfActive { [self] in try finish() }
        } catch {
            throw BlobStoreError(error)
        }
    }

    /// Checks the file, syncs it and renames it. A crash before the end leaves an upload that has all its bytes, which
    /// ``DiskBlobStore/progress(of:_:)`` completes.
    func finish() throws {
        let (file, known) = state.withLockedValue { ($0.file, $0.digest) }
        guard let file else { throw BlobStoreError.missing }
        let digest = try known ?? RunningDigest()
        try readRest(of: file, into: digest)
        // Its value is taken out of it.
        state.withLockedValue { $0.digest = nil }
        guard try digest.finish() == blob.digest.bytes else {
            try file.truncate(to: 0)
            try state.withLockedValue { state in
                state.offset = 0
                state.digest = try RunningDigest()
            }
            throw BlobStoreError.wrongDigest
        }
        try file.synchronize()
        try store.names.makeFolder(of: blob.id, in: store.names.complete)
        do throws(FileError) {
            try Files.move(store.names.path(of: upload), to: store.names.path(of: blob.id))
        } catch {
            // It was removed meanwhile.
            throw error.isMissing ? BlobStoreError.missing : BlobStoreError(error)
        }
    }

    private func readRest(of file: OpenFile, into digest: RunningDigest) throws {
        guard digest.count < blob.size else { return }
        var chunk = [UInt8](repeating: 0, count: DiskBlobWriter.chunk)
        while digest.count < blob.size {
            let count = try unsafe chunk.withUnsafeMutableBytes { bytes in
                try file.read(into: bytes, at: digest.count)
            }
            guard count > 0 else { break }
            try digest.update(chunk.span.extracting(..<count))
        }
    }

    func close() {
        let (digest, offset) = state.withLockedValue { ($0.digest, $0.offset) }
        if let digest, digest.count == offset, offset > 0, offset < blob.size {
            store.digests.withLockedValue { $0[upload] = digest }
        }
        // The lock goes with the file: the next writer finds the digest.
        state.withLockedValue { ($0.file, $0.digest) = (nil, nil) }
    }
}
