import ParleyProtocol
import Sodium

/// Makes and opens the cursors of all lists.
///
/// A cursor is opaque and belongs to its caller (protocol §5): a tag that the gateway alone can make binds the position
/// to the list, its caller and its owner. It outlives the process, because its key follows from the gateway's own.
package struct CursorSeal: Sendable {
    private let key: [UInt8]

    package init(_ tokens: TokenIssuer) throws(SodiumError) { key = try tokens.secret(for: "page cursors") }

    /// The cursor for a position, at most 160 characters.
    func seal(_ position: some CursorPosition, of list: PagedList) throws(SodiumError) -> String {
        let bytes = position.bytes
        return Base64URL.text(of: (try tag(bytes, list) + bytes).span)
    }

    /// The position that `seal` was given.
    ///
    /// - Throws: `bad_request`, always the same, for whatever `seal` has not made for this list, this caller and this
    ///   owner.
    func open<Position: CursorPosition>(_ cursor: String, of list: PagedList) throws -> Position {
        guard let bytes = Base64URL.decode(cursor.utf8Span.span), bytes.count >= CursorSeal.tagLength.rawValue else {
            throw CursorSeal.forged
        }
        let position = Array(bytes.dropFirst(CursorSeal.tagLength.rawValue))
        guard try tag(position, list).elementsEqual(bytes.prefix(CursorSeal.tagLength.rawValue)),
            let position = Position(bytes: position)
        else { throw CursorSeal.forged }
        return position
    }

    private static let tagLength = BLAKE2b.DigestLength.bytes16
    private static let forged = Rejection(.badRequest, "cursor: not one that you were given for this list")

    private func tag(_ position: [UInt8], _ list: PagedList) throws(SodiumError) -> [UInt8] {
        // Neither an operation's name nor a user's id holds a zero.
        var preimage = Array("\(list.operation)".utf8)
        for user in [list.caller, list.owner] { preimage += [0] + Array(user.text.utf8) }
        preimage += [0] + position
        return try BLAKE2b.hash(preimage.span, length: CursorSeal.tagLength, key: key.span)
    }
}
