import Foundation
import GRDB
import ParleyProtocol

package struct KeptRequest: Hashable, Sendable {
    package let id: UUIDValue
    /// In order of making.
    package let position: Int
    let sealed: [UInt8]
    /// The owner's encoding, opaque here. `nil` if it is damaged.
    package let content: [UInt8]?
}

extension Snapshot {
    package func request(after last: Int) throws -> KeptRequest? {
        try database.row(
            "SELECT position, id, sealed FROM requests WHERE position > ? ORDER BY position LIMIT 1", [last]
        ).map(keptRequest)
    }

    package func request(of id: UUIDValue) throws -> KeptRequest? {
        try database.row("SELECT position, id, sealed FROM requests WHERE id = ?", [Data(id.bytes)]).map(keptRequest)
    }

    private func keptRequest(_ row: Row) throws -> KeptRequest {
        let (position, id, sealed) = (
            try row.integer(0), try (row.uuid(1) as MessageID).value, try row.optionalBytes(2) ?? []
        )
        return KeptRequest(
            id: id, position: position, sealed: sealed, content: cipher.open(sealed, at: .request(position, id)))
    }

    package func requestCount() throws -> Int {
        try database.row("SELECT count(*) FROM requests")?.integer(0) ?? 0
    }
}

extension WriteTransaction {
    /// Appends a request, or replaces the waiting one with its id.
    package func keepRequest(_ id: UUIDValue, _ content: [UInt8]) throws {
        let blob = Data(id.bytes)
        let waiting = try database.row("SELECT position FROM requests WHERE id = ?", [blob])
        let position = try waiting?.integer(0) ?? nextPosition(in: "requests")
        try database.run(
            """
            INSERT INTO requests (position, id, sealed) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed
            """, [position, blob, try cipher.seal(content, at: .request(position, id))])
    }

    /// Appends a request of another file, if it is whole.
    ///
    /// - Returns: `false` if a request with its id, which is newer, waits here.
    func keep(rescued request: KeptRequest) throws -> Bool {
        guard let content = request.content,
            try database.row("SELECT 1 FROM requests WHERE id = ?", [Data(request.id.bytes)]) == nil
        else { return false }
        try keepRequest(request.id, content)
        return true
    }

    /// Moves a request to the end, unless it was replaced meanwhile.
    package func putBehind(_ request: KeptRequest) throws {
        guard let content = request.content else { return }
        try removeRequest(request)
        guard database.changesCount > 0 else { return }
        try keepRequest(request.id, content)
    }

    /// Removes an answered request, unless it was replaced meanwhile.
    package func removeRequest(_ request: KeptRequest) throws {
        try database.run(
            "DELETE FROM requests WHERE position = ? AND sealed = ?", [request.position, Data(request.sealed)])
    }
}
