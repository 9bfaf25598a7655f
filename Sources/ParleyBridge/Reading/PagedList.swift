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

/// The content of a cursor: the place of the last item of a page.
protocol ListPlace {
    /// At most 100 of them.
    var bytes: [UInt8] { get }

    /// - Returns: `nil` unless these are the `bytes` of a place.
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
    /// - Parameter gather: adds the items behind a place, from the start if it is `nil`, until the page takes no more.
    ///   `limit + 1` items of the list are enough.
    /// - Throws: `bad_request` for a cursor of another list, and what `gather` throws.
    func page<Place: ListPlace>(
        _ request: Page, of operation: Operation, owner: UserID? = nil, as name: String = "items",
        _ gather: (Place?, inout PageBuilder<Place>) throws -> Void
    ) throws -> CursorPage {
        let list = PagedList(operation: operation, caller: caller.user, owner: owner ?? caller.user)
        var page = PageBuilder<Place>(limit: request.limit)
        try gather(try request.cursor.map { try reader.seal.open($0, of: list) }, &page)
        return CursorPage(
            name: name, items: page.json, nextCursor: try page.end.map { try reader.seal.seal($0, of: list) })
    }
}

// MARK: Places

extension SyncPosition: ListPlace {}

extension ListPosition: ListPlace {
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

/// A place in a list that goes by the numbers of rows.
protocol RowPlace: ListPlace {
    var value: Int64 { get }
    init(value: Int64)
}

extension RowPlace {
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

/// A place in a list that goes by numbers of other things.
struct NumberPlace: RowPlace {
    let value: Int64
}

extension RowKey: RowPlace {}

/// A place in a list that goes by the ids of users.
struct UserPlace: ListPlace {
    let user: UserID

    init(_ user: UserID) { self.user = user }

    var bytes: [UInt8] { Array(user.text.utf8) }

    init?(bytes: [UInt8]) {
        guard let user = UserID(parsing: bytes.span) else { return nil }
        self.init(user)
    }
}
