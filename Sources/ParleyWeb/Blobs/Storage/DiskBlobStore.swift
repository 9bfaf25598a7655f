import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ParleyProtocol
import PrivateFiles

/// Blobs as files in a directory, which several doors of one machine, or of one file system, may share.
///
/// A lock on the file of an upload makes its writer the only one, also among doors. It ends with the process.
struct DiskBlobStore: BlobStore {
    let names: DiskBlobNames
    /// The space in bytes that is left to others on this volume.
    let reserve: Int
    let pool: NIOThreadPool
    /// Digests of interrupted uploads: without them a continued upload is read again at its end.
    let digests = NIOLockedValueBox(BoundedCache<BlobUpload, RunningDigest>(capacity: 512))

    /// Makes the directories that are missing.
    init(_ root: String, reserve: Int, threads: Int = 4) throws(FileError) {
        names = DiskBlobNames(root: root)
        self.reserve = reserve
        for directory in [root, names.incoming, names.complete, names.unknown] {
            try Files.makePrivateDirectory(directory)
        }
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    func run() async {}
    func end() async { try? await pool.shutdownGracefully() }

    // MARK: Uploads

    func begin(_ upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) {
        try await run { [self] in
            guard try Files.status(of: names.path(of: upload.id)) == nil else { return }
            let there = try Files.status(of: names.path(of: upload))?.size ?? 0
            guard try Files.freeBytes(at: names.root) - reserve >= blob.size - there else { throw BlobStoreError.full }
            try names.makeFolder(of: upload.id, in: names.incoming)
            _ = try OpenFile(names.path(of: upload), for: .making)
        }
    }

    func progress(of upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) -> BlobProgress {
        try await run { [self] in
            if try Files.status(of: names.path(of: upload.id)) != nil { return .complete }
            guard let size = try Files.status(of: names.path(of: upload))?.size else { return .missing }
            guard size >= blob.size else { return .partial(size) }
            // A crash or a lost connection was between the last byte and the end.
            guard let writer = try DiskBlobWriter(self, upload, blob) else { return .missing }
            defer { writer.close() }
            do {
                try writer.finish()
                return .complete
            } catch BlobStoreError.wrongDigest {
                return .partial(0)
            }
        }
    }

    func append(
        to upload: BlobUpload, at offset: Int, _ blob: Blob
    ) async throws(BlobStoreError) -> any BlobWriter {
        try await run { [self] in
            guard let writer = try DiskBlobWriter(self, upload, blob) else {
                // Nothing can be appended to a complete one.
                let isComplete = try Files.status(of: names.path(of: upload.id)) != nil
                throw isComplete ? BlobStoreError.offset(blob.size) : .missing
            }
            guard writer.offset == offset else {
                writer.close()
                throw BlobStoreError.offset(writer.offset)
            }
            return writer
        }
    }

    // MARK: Complete blobs

    func open(_ id: BlobID) async throws(BlobStoreError) -> (any BlobReader)? {
        try await run { [self] in
            do throws(FileError) {
                let file = try OpenFile(names.path(of: id), for: .reading)
                file.adviseSequentialReading()
                return DiskBlobReader(file: file, size: try file.size, pool: pool)
            } catch {
                guard error.isMissing else { throw error }
                return nil
            }
        }
    }

    func remove(_ ids: [BlobID]) async throws(BlobStoreError) {
        guard !ids.isEmpty else { return }
        try await run { [self] in
            for id in ids {
                let uploads = names.folder(of: id, in: names.incoming)
                for name in try namesIfThere(uploads) where BlobNames.id(in: name) == id {
                    try Files.remove(name, in: uploads)
                }
                let folder = names.folder(of: id, in: names.complete)
                guard try Files.status(of: folder) != nil else { continue }
                try Files.remove(BlobNames.hex(id), in: folder)
            }
        }
    }

    private func namesIfThere(_ directory: String) throws(FileError) -> [String] {
        try Files.status(of: directory) == nil ? [] : Files.names(in: directory)
    }

    // MARK: What is there

    func ids(after id: BlobID?, most: Int) async throws(BlobStoreError) -> [BlobID] {
        try await run { [self] in
            var found: [BlobID] = []
            let last = id.map { (DiskBlobNames.folders(of: $0), BlobNames.hex($0)) }
            for first in try folders(in: names.complete) where first >= last?.0.0 ?? "" {
                let isFirst = first == last?.0.0
                for second in try folders(in: "\(names.complete)/\(first)") where !isFirst || second >= last?.0.1 ?? ""
                {
                    let isLast = isFirst && second == last?.0.1
                    let all = try Files.names(in: "\(names.complete)/\(first)/\(second)").sorted()
                    found += all.filter { !isLast || $0 > last?.1 ?? "" }.compactMap { BlobNames.id(in: $0) }
                    if found.count >= most { return Array(found.prefix(most)) }
                }
            }
            return found
        }
    }

    private func folders(in directory: String) throws(FileError) -> [String] {
        try Files.names(in: directory).filter { $0.utf8.count == 2 }.sorted()
    }

    func removeUploads(unchangedSince time: Timestamp) async throws(BlobStoreError) -> Int {
        try await run { [self] in
            var count = 0
            for first in try folders(in: names.incoming) {
                for second in try folders(in: "\(names.incoming)/\(first)") {
                    let folder = "\(names.incoming)/\(first)/\(second)"
                    for name in try Files.names(in: folder) {
                        guard let status = try Files.status(of: "\(folder)/\(name)"),
                            status.changed < time.milliseconds
                        else { continue }
                        try Files.remove(name, in: folder)
                        count += 1
                    }
                }
            }
            return count
        }
    }

    func unknownSince() async throws(BlobStoreError) -> [BlobID: Timestamp] {
        try await run { [self] in
            var marks: [BlobID: Timestamp] = [:]
            for name in try Files.names(in: names.unknown) {
                guard let id = BlobNames.id(in: name),
                    let status = try Files.status(of: "\(names.unknown)/\(name)")
                else { continue }
                marks[id] = Timestamp(milliseconds: status.changed)
            }
            return marks
        }
    }

    func markUnknown(_ id: BlobID, _ isUnknown: Bool) async throws(BlobStoreError) {
        try await run { [self] in
            let name = BlobNames.hex(id)
            guard isUnknown else { return try Files.remove(name, in: names.unknown) }
            try Files.makePrivateFile("\(names.unknown)/\(name)")
        }
    }

    /// Runs it on a thread that may wait for the disk.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(BlobStoreError) -> Value {
        do {
            return try await pool.runIfActive(body)
        } catch {
            throw BlobStoreError(error)
        }
    }
}

extension BlobStoreError {
    init(_ error: any Error) {
        switch error {
        case let error as BlobStoreError: self = error
        case let error as FileError where error.isFull: self = .full
        case let error as FileError: self = .failed(reason: "\(error)")
        default: self = .failed(reason: "the door shuts down")
        }
    }
}

/// A file that is read on the store's threads.
struct DiskBlobReader: BlobReader {
    let file: OpenFile
    let size: Int
    let pool: NIOThreadPool

    var piece: Int { 262_144 }

    func read(at offset: Int, count: Int, on loop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
        let file = file
        return pool.runIfActive(eventLoop: loop) {
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            try unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
                try file.read(into: unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: offset)
            }
            return buffer
        }
    }
}
