/// Everything that a few people have done, in order, each with what came of it.
///
/// What is between two of them can only depend on what they did to each other, on their settings and on time: so
/// a history keeps, for each pair, the part that concerns it.
package struct History: Sendable {
    package let people: Int
    /// How long after an unfollowing nobody may ask again, in seconds.
    package let renewal: Int
    package private(set) var events: [Event] = []
    package private(set) var time = 0
    private var pairs: [PairHistory]

    package init(people: Int, renewal: Int = 30 * 86_400) {
        self.people = people
        self.renewal = renewal
        pairs = Array(repeating: PairHistory(), count: people * people)
    }

    package var everyone: [Person] { (0..<people).map(Person.init) }

    package func between(_ one: Person, _ two: Person) -> PairHistory { pairs[slot(one, two)] }

    private func slot(_ one: Person, _ two: Person) -> Int {
        min(one.index, two.index) * people + max(one.index, two.index)
    }

    /// Lets it happen.
    ///
    /// - Returns: what the one who did it is answered.
    @discardableResult
    package mutating func append(_ event: Event) -> Answer {
        events.append(event)
        switch (event.actor, event.other) {
        case (let actor?, let other?):
            guard actor != other else { return .badRequest }
            let outcome = between(actor, other).outcome(of: event, at: time, renewal: renewal)
            pairs[slot(actor, other)].append(outcome)
            return outcome.answer
        case (let actor?, nil):
            for other in everyone where other != actor {
                pairs[slot(actor, other)].append(
                    PairHistory.Entry(event: event, time: time, answer: .ok, isWithoutLimit: false))
            }
        case (nil, _):
            if case .passes(let seconds) = event { time += seconds }
        }
        return .ok
    }

    /// As if the last event had not happened.
    package mutating func undo() {
        guard let event = events.popLast() else { return }
        switch (event.actor, event.other) {
        case (let actor?, let other?):
            if actor != other { pairs[slot(actor, other)].removeLast() }
        case (let actor?, nil):
            for other in everyone where other != actor { pairs[slot(actor, other)].removeLast() }
        case (nil, _):
            if case .passes(let seconds) = event { time -= seconds }
        }
    }
}
