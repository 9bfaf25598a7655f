import GRDB
import ParleyProtocol

/// The upload of a queued message's file.
package struct StoredUpload: Hashable, Sendable {
    package let message: MessageID
    package let blob: BlobID
    package let state: State
    /// The owner's encoding, opaque here. `nil` if it is damaged.
    package let source: [UInt8]?

    package enum State: Int, Sendable {
        case pending = 0
        case paused = 1
        case complete = 2
    }
}

extension Snapshot {
    package func uploads() throws -> [StoredUpload] {
        try database.map("SELECT message, blob, state, sealed FROM uploads") { row in
            let (message, blob): (MessageID, BlobID) = (try row.uuid(0), try row.uuid(1))
            guard let state = StoredUpload.State(rawValue: try row.integer(2)) else { throw DamagedRowError() }
            return StoredUpload(
                message: message, blob: blob, state: state,
                source: cipher.open(try row.bytes(3), at: .upload(message, blob)))
        }
    }
}

extension WriteTransaction {
    /// Adds the upload of a message that is queued in this transaction.
    package func addUpload(_ blob: BlobID, of message: MessageID, source: [UInt8]) throws {
        try database.run(
            "INSERT INTO uploads (message, blob, sealed) VALUES (?, ?, ?)",
            [message.blob, blob.blob, try cipher.seal(source, at: .upload(message, blob))])
    }

    package func setUpload(_ state: StoredUpload.State, of message: MessageID) throws {
        try database.run("UPDATE uploads SET state = ? WHERE message = ?", [state.rawValue, message.blob])
    }

    /// The file is uploaded as another blob, from its beginning.
    package func setUploadBlob(_ blob: BlobID, of message: MessageID) throws {
        let source = try facts.uploads().first { $0.message == message }?.source
        try removeUpload(of: message)
        try addUpload(blob, of: message, source: source ?? [])
    }

    package func removeUpload(of message: MessageID) throws {
        try database.run("DELETE FROM uploads WHERE message = ?", [message.blob])
    }
}
