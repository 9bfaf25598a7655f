import NIOCore

/// Where a door keeps blobs, and the limits of their transfers.
package struct BlobConfiguration: Sendable {
    /// Where the bytes are.
    package enum Storage: Hashable, Sendable {
        case disk(directory: String)
        case s3(S3Configuration)
    }

    package var storage: Storage
    /// The bytes of a disk's volume that uploads leave free.
    package var reserve = 536_870_912
    /// Uploads at once, of one user and in all. Each takes about a megabyte of memory; with S3
    /// an upload takes a part, 8 MiB, and a download two pieces, 2 MiB.
    package var uploads = TransferLimit(perUser: 4, inAll: 32)
    package var downloads = TransferLimit(perUser: 8, inAll: 64)
    /// How long the gateway's word for a transfer is enough.
    package var confirmation: TimeAmount = .seconds(60)
    /// Between two questions about what is gone.
    package var collection: TimeAmount = .seconds(10)
    /// Between two comparisons of all files with the gateway's blobs.
    package var comparison: TimeAmount = .hours(1)
    /// How long a file that the gateway does not know is left: a database that was put back knows less for a while.
    package var unknownFor: TimeAmount = .hours(7 * 24)
    /// How long an upload to which nothing is written is left.
    package var abandonedFor: TimeAmount = .hours(25)

    package init(_ storage: Storage) { self.storage = storage }
}

/// How many transfers there are at once.
package struct TransferLimit: Hashable, Sendable {
    package var perUser: Int
    package var inAll: Int
}
