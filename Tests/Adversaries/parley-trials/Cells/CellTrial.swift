import ArgumentParser

/// What is done to cells, again and again.
enum CellTrial: String, CaseIterable, ExpressibleByArgument {
    /// kill -9 of a gateway, its broker, or both.
    case kills
    /// kill -9 of PostgreSQL, whose synchronous standby takes its place.
    case promotions
    /// Links of a cell are cut: to the store, to devices, or both.
    case partitions
    /// A cell stands still for a time, and goes on.
    case stops
    /// People are cut off while cells hear of each other late.
    case removals
    /// No cell hears a notification of another.
    case doorbell

    /// How often, unless somebody says otherwise.
    var usualCount: Int {
        switch self {
        case .kills: 300
        case .promotions: 20
        case .partitions: 100
        case .stops: 10
        case .removals: 10_000
        case .doorbell: 1000
        }
    }

    var shortCount: Int {
        switch self {
        case .kills: 3
        case .promotions, .partitions: 2
        case .stops: 1
        case .removals: 40
        case .doorbell: 100
        }
    }
}

/// A fault that a trial is made with: what it looks at must tell.
enum CellControl: String, CaseIterable, ExpressibleByArgument {
    /// The standby that is promoted did not have all that was answered, and no new epoch begins.
    case asynchronousStandby = "asynchronous-standby"
    /// Somebody reads what cells have written by one number over all of them.
    case tailByPosition = "tail-by-position"
    /// A process that was replaced writes in its cell's name.
    case noFencing = "no-fencing"
}
