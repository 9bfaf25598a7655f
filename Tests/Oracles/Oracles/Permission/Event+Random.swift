extension Event {
    /// Something that somebody does, more often between the first two, and more often what makes a story.
    package static func random(among people: Int, using random: inout some RandomNumberGenerator) -> Event {
        let isMain = Int.random(in: 0..<5, using: &random) < 3
        let one = Int.random(in: 0..<(isMain ? 2 : people), using: &random)
        let step = Int.random(in: 1..<people, using: &random)
        let (actor, other) = (Person(one), Person(isMain ? 1 - one : (one + step) % people))
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<4: return .follows(actor, other)
        case 4..<6: return .unfollows(actor, other)
        case 6: return .blocks(actor, other)
        case 7..<9: return .unblocks(actor, other)
        case 9: return .opens(actor, to: .anyone)
        case 10: return .opens(actor, to: .followers)
        case 11: return .creates(actor, with: other)
        case 12..<18: return .writes(actor, to: other)
        case 18..<20: return .accepts(actor, of: other)
        case 20..<22: return .declines(actor, of: other)
        default: return .passes(seconds: durations.randomElement(using: &random) ?? 1)
        }
    }

    private static let day = 86_400
    /// About thirty days, from both sides.
    private static let durations = [1, day, 10 * day, 20 * day, 30 * day - 1, 30 * day, 31 * day]
}
