import ParleyCrypto
import ParleyProtocol

// Messages in the form of old apps (docs/encryption.md, "Old apps").

extension ChatMessage.Protection {
    public init(_ suite: Suite) { self = suite.bound == nil ? .legacy : .bound }
}

extension MessageRecord {
    /// Whether it is in the form of old apps.
    var isLegacy: Bool { suite?.value.map { $0.bound == nil } ?? false }

    /// The ciphertext of a message in the form of old apps, where opening it proves that the other of the two wrote to
    /// this user, or this user to them.
    ///
    /// The conversation's id names the two. A change is refused, because it could put repeated words in the place of
    /// another message's, also of one that is bound. So is a message under the user's own name: whatever opens there is
    /// the other's, as the key is the same in both directions.
    /// - Throws: `OpeningError.notBound`, `.malformed`.
    func legacyCiphertext(for user: UserID) throws(OpeningError) -> (content: [UInt8], nonce: [UInt8]) {
        guard kind == .known(.message), sender.user != user, conversation == .direct(user, sender.user) else {
            throw .notBound
        }
        guard let content, let nonce, recipientKeys == nil else { throw .malformed }
        return (content, nonce)
    }

    /// The content as a JSON object. Some old apps seal the bare text of a text message.
    ///
    /// - Returns: `opened` itself if it is neither, to be refused as any invalid content.
    func legacyContent(_ opened: [UInt8]) -> [UInt8] {
        // With U+0000 it is no text but what a `nacl-box` holds: the lengths of header fields.
        guard type == .known(.text), !opened.contains(0), (try? MessageContent(type: type, json: opened)) == nil,
            let text = String(validating: opened, as: UTF8.self), let json = try? MessageContent.text(text).encoded()
        else { return opened }
        return json
    }
}
