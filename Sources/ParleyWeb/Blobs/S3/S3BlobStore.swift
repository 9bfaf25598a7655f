import HTTPClient
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ParleyProtocol

/// Blobs as objects of an S3-compatible service, which any number of doors may share.
///
/// An upload is objects of its own, its parts, which are put together at its end: until then they can be read again by
/// whichever door continues it, and the digest is what decides. Where an upload stands follows from their sizes.
struct S3BlobStore: BlobStore {
    let service: S3Service
    /// The uploads that this process writes to. The service has no locks: see decision 0078.
    let open = NIOLockedValueBox<Set<BlobUpload>>([])
    /// Of interrupted uploads: without them a continued upload is read again at its end.
    let digests = NIOLockedValueBox(BoundedCache<BlobUpload, KnownDigest>(capacity: 512))

    /// The digest of parts that have these tags.
    struct KnownDigest: Sendable {
        let tags: [String]
        let digest: RunningDigest
    }

    /// The size of each part but the last. S3 joins none below 5 MiB.
    static let part = 8 << 20

    init(_ configuration: S3Configuration, logger: Logger) {
        service = S3Service(configuration, logger: logger)
    }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Says at once, in the log, if nothing can be stored.
                _ = try? await service.list(S3BlobNames.complete, most: 1)
            }
            try await withTaskCancellationHandler {
                try await service.client.run()
            } onCancel: {
                service.client.stop()
            }
        }
    }

    func end() async { service.client.stop() }

    // MARK: Uploads

    func begin(_ upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) {
        guard try await !isComplete(upload, blob) else { return }
        try await service.put(S3BlobNames.part(0, of: upload))
    }

    func progress(of upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) -> BlobProgress {
        if try await isComplete(upload, blob) { return .complete }
        guard let parts = try await parts(of: upload, blob) else { return .missing }
        let size = parts.reduce(0) { $0 + $1.size }
        guard size >= blob.size else { return .partial(size) }
        // A door or a connection ended between the last byte and the end.
        let writer = try await makeWriter(upload, blob)
        defer { writer?.close() }
        guard let writer else { return .missing }
        do throws(BlobStoreError) {
            try await writer.complete()
            return .complete
        } catch {
            guard error == .wrongDigest else { throw error }
            return .partial(0)
        }
    }

    func append(
        to upload: BlobUpload, at offset: Int, _ blob: Blob
    ) async throws(BlobStoreError) -> any BlobWriter {
        guard let writer = try await makeWriter(upload, blob) else {
            // Nothing can be appended to a complete one.
            throw try await isComplete(upload, blob) ? .offset(blob.size) : .missing
        }
        guard writer.offset == offset else {
            writer.close()
            throw .offset(writer.offset)
        }
        return writer
    }

    private func isComplete(_ upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) -> Bool {
        try await service.head(S3BlobNames.complete(upload.id))?.size == blob.size
    }

    /// - Returns: `nil` if there is no such upload.
    private func makeWriter(_ upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) -> S3BlobWriter? {
        guard open.withLockedValue({ $0.insert(upload).inserted }) else { throw .locked }
        do throws(BlobStoreError) {
            if let parts = try await parts(of: upload, blob) {
                return try await S3BlobWriter(self, upload, blob, parts)
            }
        } catch {
            _ = open.withLockedValue { $0.remove(upload) }
            throw error
        }
        _ = open.withLockedValue { $0.remove(upload) }
        return nil
    }

    /// The parts of an upload up to the first that is missing or not full, without its beginning.
    ///
    /// - Returns: `nil` if there is no such upload.
    private func parts(of upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) -> [S3Object]? {
        let objects = try await service.listAll(S3BlobNames.upload(upload))
        guard objects.first?.name == S3BlobNames.part(0, of: upload) else { return nil }
        var (parts, size): ([S3Object], Int) = ([], 0)
        for object in objects.dropFirst() {
            guard object.name == S3BlobNames.part(parts.count + 1, of: upload), object.size <= S3BlobStore.part,
                size + object.size <= blob.size
            else { break }
            parts.append(object)
            size += object.size
            guard object.size == S3BlobStore.part else { break }
        }
        return parts
    }

    // MARK: Complete blobs

    func open(_ id: BlobID) async throws(BlobStoreError) -> (any BlobReader)? {
        let name = S3BlobNames.complete(id)
        guard let (size, tag) = try await service.head(name) else {
            // An answer to HEAD has no body that tells a blob which is gone for good from a bucket which is away.
            _ = try await service.list(name, most: 1)
            return nil
        }
        return S3BlobReader(service: service, name: name, tag: tag, size: size)
    }

    func remove(_ ids: [BlobID]) async throws(BlobStoreError) {
        for id in ids {
            // What one door has left out, or another has just put together, is found as unknown later.
            try await service.delete(try await service.listAll(S3BlobNames.uploads(of: id)).map(\.name))
            try await service.delete(S3BlobNames.complete(id))
        }
    }

    // MARK: What is there

    func ids(after id: BlobID?, most: Int) async throws(BlobStoreError) -> [BlobID] {
        var (found, last): ([BlobID], String?) = ([], id.map(S3BlobNames.complete))
        while found.count < most {
            let page = try await service.list(S3BlobNames.complete, after: last, most: min(most, 1000))
            found += page.objects.compactMap { S3BlobNames.id(in: $0.name) }
            last = page.objects.last?.name ?? last
            if page.isWhole { break }
        }
        return Array(found.prefix(most))
    }

    func removeUploads(unchangedSince time: Timestamp) async throws(BlobStoreError) -> Int {
        var uploads: [Substring: [S3Object]] = [:]
        for object in try await service.listAll(S3BlobNames.incoming) {
            uploads[object.name.dropLast(5), default: []].append(object)
        }
        var count = 0
        for parts in uploads.values where parts.allSatisfy({ $0.changed < time }) {
            // The beginning goes first: without it there is no upload.
            try await service.delete(parts.map(\.name))
            count += 1
        }
        try await service.abortUploads(S3BlobNames.complete, before: time)
        return count
    }

    func unknownSince() async throws(BlobStoreError) -> [BlobID: Timestamp] {
        var marks: [BlobID: Timestamp] = [:]
        for object in try await service.listAll(S3BlobNames.unknown) {
            if let id = S3BlobNames.id(in: object.name) { marks[id] = object.changed }
        }
        return marks
    }

    func markUnknown(_ id: BlobID, _ isUnknown: Bool) async throws(BlobStoreError) {
        let name = S3BlobNames.unknown(id)
        guard isUnknown else { return try await service.delete(name) }
        guard try await service.head(name) == nil else { return }
        try await service.put(name)
    }
}

/// An object that is read in pieces, each by a request of its own: nothing is under way while nobody wants it.
struct S3BlobReader: BlobReader {
    let service: S3Service
    let name: String
    let tag: String
    let size: Int

    /// A request costs more than a read.
    var piece: Int { 1 << 20 }

    func read(at offset: Int, count: Int, on loop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
        let range = offset..<min(size, offset + count)
        return loop.makeFutureWithTask {
            guard let bytes = try await service.get(name, range, tag: tag) else { throw BlobStoreError.missing }
            return ByteBuffer(bytes: bytes)
        }
    }
}
