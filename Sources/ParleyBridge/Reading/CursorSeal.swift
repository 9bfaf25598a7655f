import ParleyProtocol
import Sodium

/// Makes and opens the cursors of all lists.
///
/// A cursor is opaque and belongs to its caller (protocol §5): a tag that the gateway alone can make binds the place to
/// the list, its caller and its owner. It outlives the process, because its key follows from the gateway's own.
package struct CursorSeal: Sendable {
    private let key: [UInt8]

    package init(_ tokens: TokenIssuer) throws(SodiumError) { key = try tokens.secret(for: "page cursors") }

    /// The cursor for a place, at most 160 characters.
    func seal(_ place: some ListPlace, of list: PagedList) throws(SodiumError) -> String {
        let bytes = place.bytes
        return Base64URL.text(of: (try tag(bytes, list) + bytes).span)
    }

    /// The place that `seal` was given.
    ///
    /// - Throws: `bad_request`, always the same, for whatever `seal` has not made for this list, this caller and this
    ///   owner.
    func open<Place: ListPlace>(_ cursor: String, of list: PagedList) throws -> Place {
        guard let bytes = Base64URL.decode(cursor.utf8Span.span), bytes.count >= CursorSeal.tagLength.rawValue else {
            throw CursorSeal.forged
        }
        let place = Array(bytes.dropFirst(CursorSeal.tagLength.rawValue))
        guard try tag(place, list).elementsEqual(bytes.prefix(CursorSeal.tagLength.rawValue)),
            let place = Place(bytes: place)
        else { throw CursorSeal.forged }
        return place
    }

    private static let tagLength = BLAKE2b.DigestLength.bytes16
    private static let forged = Rejection(.badRequest, "cursor: not one that you were given for this list")

    private func tag(_ place: [UInt8], _ list: PagedList) throws(SodiumError) -> [UInt8] {
        // Neither an operation's name nor a user's id holds a zero.
        var preimage = Array("\(list.operation)".utf8)
        for user in [list.caller, list.owner] { preimage += [0] + Array(user.text.utf8) }
        preimage += [0] + place
        return try BLAKE2b.hash(preimage.span, length: CursorSeal.tagLength, key: key.span)
    }
}
