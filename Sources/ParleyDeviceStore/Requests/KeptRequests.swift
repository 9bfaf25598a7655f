import Foundation
import GRDB
import ParleyProtocol

/// A request that the gateway has not answered yet.
package struct KeptRequest: Hashable, Sendable {
    package let id: UUIDValue
    /// Its place in the order in which they were made.
    package let position: Int
    let sealed: [UInt8]
    /// As its owner codes it; opaque here. `nil`: what is in the file is not what was put there.
    package let content: [UInt8]?
}

extension Snapshot {
    /// The first one behind a position.
    package func request(after last: Int) throws -> KeptRequest? {
        try database.row(
            "SELECT position, id, sealed FROM requests WHERE position > ? ORDER BY position LIMIT 1", [last]
        ).map(keptRequest)
    }

    /// The one of an id, if it waits.
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

    /// How many wait.
    package func requestCount() throws -> Int {
        try database.row("SELECT count(*) FROM requests")?.integer(0) ?? 0
    }
}

extension WriteTransaction {
    /// Puts a request behind those that wait, or in the place of the one of its id.
    package func keepRequest(_ id: UUIDValue, _ content: [UInt8]) throws {
        let blob = Data(id.bytes)
        let place = try database.row("SELECT position FROM requests WHERE id = ?", [blob])
        let position = try place?.integer(0) ?? nextPosition(in: "requests")
        try database.run(
            """
            INSERT INTO requests (position, id, sealed) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed
            """, [position, blob, try cipher.seal(content, at: .request(position, id))])
    }

    /// Puts a request of another file behind those that wait, if it is whole.
    ///
    /// - Returns: whether it was; not if one of its id waits here, which was made later.
    func keep(rescued request: KeptRequest) throws -> Bool {
        guard let content = request.content,
            try database.row("SELECT 1 FROM requests WHERE id = ?", [Data(request.id.bytes)]) == nil
        else { return false }
        try keepRequest(request.id, content)
        return true
    }

    /// Puts a request behind all that wait, unless another has come in its place meanwhile.
    package func putBehind(_ request: KeptRequest) throws {
        guard let content = request.content else { return }
        try removeRequest(request)
        guard database.changesCount > 0 else { return }
        try keepRequest(request.id, content)
    }

    /// The gateway has answered a request: it waits no more, unless another has come in its place meanwhile.
    package func removeRequest(_ request: KeptRequest) throws {
        try database.run(
            "DELETE FROM requests WHERE position = ? AND sealed = ?", [request.position, Data(request.sealed)])
    }
}
