import ParleyProtocol
import ParleyRules
import ParleyStore

/// The list that a cursor is bound to. A cursor of another list, caller or owner is refused like a forged one.
struct PagedList {
    let operation: Operation
    let caller: UserID
    /// The user whose list it is: the caller, if it has no other owner.
    let owner: UserID
}

/// The content of a cursor: the position of the last item of a page.
protocol CursorPosition {
    /// At most 100 of them.
    var bytes: [UInt8] { get }

    /// - Returns: `nil` unless these are the `bytes` of a position.
    init?(bytes: [UInt8])
}

/// A page of a list that goes on by cursors.
struct CursorPage {
    /// The name of the member that holds the items.
    let name: String
    /// The elements of the page's array, comma between them.
    let items: [UInt8]
    let nextCursor: String?

    func write(to writer: inout JSONWriter) { writer.object(writeMembers) }

    func writeMembers(to object: inout JSONWriter) {
        object.member(name, elements: items)
        object.member("next_cursor", nextCursor)
    }
}

extension QueryContext {
    /// Reads a page of a list of the caller's own, or of `owner`'s.
    ///
    /// - Parameter gather: adds the items behind a position, from the start if it is `nil`, until the page takes no
    ///   more. `limit + 1` items of the list are enough.
    /// - Throws: `bad_request` for a cursor of another list, and what `gather` throws.
    func page<Position: CursorPosition>(
        _ request: Page, of operation: Operation, owner: UserID? = nil, as name: String = "items",
        _ gather: (Position?, inout PageBuilder<Position>) throws -> Void
    ) throws -> CursorPage {
        let list = PagedList(operation: operation, caller: caller.user, owner: owner ?? caller.user)
        var page = PageBuilder<Position>(limit: request.limit)
        try gather(try request.cursor.map { try reader.seal.open($0, of: list) }, &page)
        return CursorPage(
            name: name, items: page.json, nextCursor: try page.end.map { try reader.seal.seal($0, of: list) })
    }
}

// MARK: Positions

extension SyncPosition: CursorPosition {}

extension ListPosition: CursorPosition {
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.number(UInt64(bitPattern: time.milliseconds), bytes: 8)
        writer.id(user)
        return writer.bytes
    }

    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let time = reader.number(bytes: 8), let user = reader.id(UserID.self), reader.isAtEnd else { return nil }
        self.init(time: Timestamp(milliseconds: Int64(bitPattern: time)), user: user)
    }
}

/// A position in a list that goes by the numbers of rows.
protocol RowPosition: CursorPosition {
    var value: Int64 { get }
    init(value: Int64)
}

extension RowPosition {
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.number(UInt64(bitPattern: value), bytes: 8)
        return writer.bytes
    }

    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let value = reader.number(bytes: 8), reader.isAtEnd else { return nil }
        self.init(value: Int64(bitPattern: value))
    }
}

/// A position in a list that goes by numbers of other things.
struct NumberPosition: RowPosition {
    let value: Int64
}

extension RowKey: RowPosition {}

/// A position in a list that goes by the ids of users.
struct UserPosition: CursorPosition {
    let user: UserID

    init(_ user: UserID) { self.user = user }

    var bytes: [UInt8] { Array(user.text.utf8) }

    init?(bytes: [UInt8]) {
        guard let user = UserID(parsing: bytes.span) else { return nil }
        self.init(user)
    }
}
