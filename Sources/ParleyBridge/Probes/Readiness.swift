import Synchronization

/// Whether devices are served, and if not, why: what `/readyz` says.
final class Readiness: Sendable {
    /// A condition that must hold.
    enum Condition: CaseIterable {
        case started
        case connectedToBroker
        case subscribedToRequests
        case answeredByPlugin
        case databaseWritable

        /// What is wrong while it does not hold, in a sentence for the operator.
        var failure: String {
            switch self {
            case .started: "the gateway starts, or ends: its database is not in use"
            case .connectedToBroker: "the broker is not connected"
            case .subscribedToRequests: "the broker has not granted the subscription to requests"
            case .answeredByPlugin: "the broker's plugin has not answered"
            case .databaseWritable: "the database cannot be written"
            }
        }

        fileprivate var bit: UInt8 {
            switch self {
            case .started: 1
            case .connectedToBroker: 2
            case .subscribedToRequests: 4
            case .answeredByPlugin: 8
            case .databaseWritable: 16
            }
        }
    }

    private let bits = Atomic<UInt8>(Condition.databaseWritable.bit)
    private let hasBeenReady = Atomic(false)

    func set(_ condition: Condition, _ holds: Bool) {
        guard self[condition] != holds else { return }
        let bits =
            holds
            ? self.bits.bitwiseOr(condition.bit, ordering: .relaxed).newValue
            : self.bits.bitwiseAnd(~condition.bit, ordering: .relaxed).newValue
        if Condition.allCases.allSatisfy({ bits & $0.bit != 0 }) { hasBeenReady.store(true, ordering: .relaxed) }
    }

    /// A transaction was committed, or could not be.
    func recordDatabase(isWritable: Bool) { set(.databaseWritable, isWritable) }

    subscript(condition: Condition) -> Bool { bits.load(ordering: .relaxed) & condition.bit != 0 }

    /// The sentences of what does not hold; none where devices are served.
    var failures: [String] { Condition.allCases.filter { !self[$0] }.map(\.failure) }

    /// Whether devices were ever served by this process.
    var wasEverReady: Bool { hasBeenReady.load(ordering: .relaxed) }
}
