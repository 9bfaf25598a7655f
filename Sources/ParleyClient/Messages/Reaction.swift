import ParleyProtocol

/// The content of a reaction: `{"emoji":"👍"}` (protocol §6, "Content").
struct Reaction: GatewayObject {
    /// Empty to remove the reaction.
    let emoji: String

    /// In Unicode scalars: one emoji can have many.
    static let longest = 64
}

extension Reaction {
    init<Pass: FieldPass<Reaction>>(fields pass: inout Pass) throws(Pass.Failure) {
        emoji = try pass.required("emoji", \.emoji, as: .text(Reaction.longest))
    }
}
