import ParleyProtocol

/// What is sealed as a reaction: `{"emoji":"👍"}`, an empty one to take it back (protocol §6, "Content").
struct Reaction: GatewayObject {
    /// Empty: taken back.
    let emoji: String

    /// In Unicode scalars: a family of several people of several colours is one emoji.
    static let longest = 64

    init(emoji: String) { self.emoji = emoji }

    init<Pass: FieldPass<Reaction>>(fields pass: inout Pass) throws(Pass.Failure) {
        emoji = try pass.required("emoji", \.emoji, as: .text(Reaction.longest))
    }
}
