/// The faults of a run; each count must be 0.
struct Faults: Equatable {
    /// Deliveries and replies that did not come.
    var losses = 0
    /// Deliveries and replies that came once more.
    var duplicates = 0
    /// Deliveries that came after a later message of the same conversation.
    var reorderings = 0
    /// Publishes that the broker or the gateway refused, and deliveries that nobody sent.
    var refusals = 0
    /// The first of them, for people.
    var firstRefusal: String?

    var count: Int { losses + duplicates + reorderings + refusals }

    mutating func refuse(_ reason: @autoclosure () -> String) {
        refusals += 1
        if firstRefusal == nil { firstRefusal = reason() }
    }

    static func += (left: inout Faults, right: Faults) {
        left.losses += right.losses
        left.duplicates += right.duplicates
        left.reorderings += right.reorderings
        left.refusals += right.refusals
        left.firstRefusal = left.firstRefusal ?? right.firstRefusal
    }
}
