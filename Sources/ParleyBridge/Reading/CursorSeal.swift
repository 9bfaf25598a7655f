import ParleyProtocol
import Sodium

/// Makes and opens the cursors of lists: where a list goes on, for the caller whose list it is.
///
/// A cursor is opaque and belongs to its caller (protocol §5): a tag that the gateway alone can make binds the place to
/// the user and the list. It outlives the process, because its key follows from the gateway's own.
package struct CursorSeal: Sendable {
    private let key: [UInt8]

    package init(_ tokens: TokenIssuer) throws(SodiumError) { key = try tokens.secret(for: "page cursors") }

    /// - Parameters:
    ///   - place: what the list needs to go on; at most 100 bytes.
    ///   - list: the list's name, so that a cursor of one is none of another.
    func seal(_ place: [UInt8], of list: StaticString, for user: UserID) throws(SodiumError) -> String {
        var text: [UInt8] = []
        Base64URL.append((try tag(place, list, user) + place).span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The place that `seal` was given.
    ///
    /// - Throws: `bad_request` for whatever `seal` has not made of this list for this user.
    func open(_ cursor: String, of list: StaticString, for user: UserID) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(cursor.utf8Span.span), bytes.count > CursorSeal.tagLength.rawValue else {
            throw CursorSeal.forged
        }
        let place = Array(bytes.dropFirst(CursorSeal.tagLength.rawValue))
        guard try tag(place, list, user).elementsEqual(bytes.prefix(CursorSeal.tagLength.rawValue)) else {
            throw CursorSeal.forged
        }
        return place
    }

    private static let tagLength = BLAKE2b.DigestLength.bytes16
    private static let forged = Rejection(.badRequest, "cursor: not one that you were given for this list")

    private func tag(_ place: [UInt8], _ list: StaticString, _ user: UserID) throws(SodiumError) -> [UInt8] {
        // Neither a list's name nor a user's id holds a zero.
        let preimage = Array(list.description.utf8) + [0] + Array(user.text.utf8) + [0] + place
        return try BLAKE2b.hash(preimage.span, length: CursorSeal.tagLength, key: key.span)
    }
}
