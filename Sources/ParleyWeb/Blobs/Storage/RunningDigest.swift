import OpenSSL
import ParleyProtocol

/// SHA-256 of the bytes of an upload that were written so far.
///
/// `@unchecked Sendable`: it belongs to the writer of the upload, and one job at a time uses it.
final class RunningDigest: @unchecked Sendable {
    private var hash: SHA256?
    /// The bytes in it.
    private(set) var count = 0

    init() throws(BlobStoreError) {
        do {
            hash = try SHA256.begin()
        } catch {
            throw RunningDigest.failure(error)
        }
    }

    func update(_ bytes: Span<UInt8>) throws(BlobStoreError) {
        do {
            try hash?.update(bytes)
            count += bytes.count
        } catch {
            throw RunningDigest.failure(error)
        }
    }

    /// Afterwards it is of no use.
    func finish() throws(BlobStoreError) -> [UInt8] {
        do {
            return try hash.take()?.finish() ?? []
        } catch {
            throw RunningDigest.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> BlobStoreError { .failed(reason: "SHA-256: \(error)") }
}
