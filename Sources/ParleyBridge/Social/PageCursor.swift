import ParleyProtocol
import ParleyStore
import Sodium

/// The list that a cursor belongs to: a cursor of another caller's, or of another list, is refused like one that nobody
/// has made.
struct PagedList {
    let name: String
    let caller: UserID
    /// Whose list it is.
    let owner: UserID
}

/// A place in a list, as its caller keeps it: opaque (protocol §5).
///
/// What it says is where to go on in a list that its caller may read anyway; the digest before it is there so that
/// nothing else is taken for a place. It is no secret and needs no key.
struct PageCursor {
    let position: ListPosition

    init(_ position: ListPosition) { self.position = position }

    /// - Throws: `bad_request`
    init?(_ text: String?, of list: PagedList) throws {
        guard let text else { return nil }
        let refusal = Rejection(.badRequest, "cursor: none of this list's")
        let characters = Array(text.utf8)
        guard let bytes = Base64URL.decode(characters.span) else { throw refusal }
        var reader = ByteReader(bytes)
        guard let digest = reader.bytes(count: 16), let time = reader.number(bytes: 8),
            let user = reader.id(UserID.self), reader.isAtEnd
        else { throw refusal }
        self.init(ListPosition(time: Timestamp(milliseconds: Int64(bitPattern: time)), user: user))
        guard try digest == self.digest(in: list) else { throw refusal }
    }

    func text(of list: PagedList) throws -> String {
        var text: [UInt8] = []
        let bytes = try digest(in: list) + place
        Base64URL.append(bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private var place: [UInt8] {
        var writer = ByteWriter()
        writer.number(UInt64(bitPattern: position.time.milliseconds), bytes: 8)
        writer.id(position.user)
        return writer.bytes
    }

    private func digest(in list: PagedList) throws -> [UInt8] {
        let preimage = Array("parley/v1 cursor \(list.name) \(list.caller) \(list.owner)\n".utf8) + place
        return try BLAKE2b.hash(preimage.span, length: .bytes16)
    }
}
