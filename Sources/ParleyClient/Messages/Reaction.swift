import ParleyProtocol

/// What is sealed as a reaction: `{"emoji":"👍"}`, an empty one to take it back (protocol §6, "Content").
struct Reaction: ContentValue {
    /// Empty: taken back.
    let emoji: String

    /// In Unicode scalars: a family of several people of several colours is one emoji.
    static let longest = 64

    init(emoji: String) { self.emoji = emoji }

    init(members object: JSONObject) throws(Rejection) {
        emoji = try object.text("emoji", maximum: Reaction.longest).required("emoji")
    }

    func writeMembers(to object: inout JSONWriter) { object.member("emoji", emoji) }
}
