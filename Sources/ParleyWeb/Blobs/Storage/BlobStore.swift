import NIOCore
import ParleyProtocol

/// An upload: a blob, and the user who makes it. Nobody else sees it before it is complete.
struct BlobUpload: Hashable, Sendable {
    let id: BlobID
    let maker: UserID
}

/// The failures of a store.
enum BlobStoreError: Error, Hashable, Sendable {
    /// Another request writes to this upload.
    case locked
    /// The upload is at another offset.
    case offset(Int)
    /// There is no such upload, or not any more.
    case missing
    /// There is no space. What was written before stays.
    case full
    /// The bytes are not those that were announced. The upload is at its beginning again.
    case wrongDigest
    /// The disk failed, or the service does what it should not.
    case failed(reason: String)
    /// The service does not answer, or not to this door. It may later.
    case unavailable
}

/// The progress of an upload.
enum BlobProgress: Hashable, Sendable {
    case missing
    /// So many bytes are there.
    case partial(Int)
    case complete
}

/// Where a door keeps sealed bytes. It decides nothing about who may have them.
///
/// A blob is complete, checked and synced, or it is an upload that only its maker sees.
protocol BlobStore: Sendable {
    /// Makes an empty upload unless there is one.
    func begin(_ upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError)

    /// Completes an upload that has all its bytes and was interrupted before its end.
    func progress(of upload: BlobUpload, _ blob: Blob) async throws(BlobStoreError) -> BlobProgress

    /// Opens an upload for one writer.
    func append(
        to upload: BlobUpload, at offset: Int, _ blob: Blob
    ) async throws(BlobStoreError) -> any BlobWriter

    /// Opens a complete blob; `nil` if there is none.
    func open(_ id: BlobID) async throws(BlobStoreError) -> (any BlobReader)?

    /// Removes blobs and their uploads, also those that are being written.
    func remove(_ ids: [BlobID]) async throws(BlobStoreError)

    /// The next complete blobs in an order of the store's own; none at the end.
    func ids(after id: BlobID?, most: Int) async throws(BlobStoreError) -> [BlobID]

    /// Removes uploads to which nothing was written since then.
    ///
    /// - Returns: how many.
    func removeUploads(unchangedSince time: Timestamp) async throws(BlobStoreError) -> Int

    /// Since when blobs are marked as unknown to the gateway.
    func unknownSince() async throws(BlobStoreError) -> [BlobID: Timestamp]
    func markUnknown(_ id: BlobID, _ isUnknown: Bool) async throws(BlobStoreError)

    /// Runs its connections until the task is cancelled, or for as long as there is something to run.
    func run() async throws

    /// Ends its threads and connections.
    func end() async
}

/// The one writer of an upload, which is free for others once this is closed.
protocol BlobWriter: Sendable {
    /// Writes the bytes that follow. The next call waits for the end of this one, and the parts do not exceed the blob.
    func write(_ parts: [ByteBuffer], on loop: any EventLoop) -> EventLoopFuture<Void>

    /// How many bytes of the upload are there.
    var offset: Int { get }

    /// Keeps what was written for the next writer. A writer that is closed without it may lose up to a part.
    func keep() async throws(BlobStoreError)

    /// Makes the upload, which has all its bytes, a complete blob: checked, synced, and in its place.
    func complete() async throws(BlobStoreError)

    /// Once nothing is being written.
    func close()
}

/// A complete blob that is read. From a disk it stays readable when it is removed meanwhile.
protocol BlobReader: Sendable {
    var size: Int { get }

    /// How much is best read at once.
    var piece: Int { get }

    /// The bytes from this offset on, as many as `count` unless it ends before.
    func read(at offset: Int, count: Int, on loop: any EventLoop) -> EventLoopFuture<ByteBuffer>
}
