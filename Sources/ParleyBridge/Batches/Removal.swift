import ParleyProtocol
import ParleyStore

extension Writer {
    var removal: Removal { Removal(writer: self) }
}

/// Removes what has been there for its time, in parts: in transactions of a writer's own, between the batches.
struct Removal {
    let writer: Writer

    /// The most rows of one kind that are removed in one transaction, which holds up the batch behind it.
    static let atOnce = 256

    /// What a part has left.
    struct Rest {
        /// Whether nothing that was due is left.
        let isComplete: Bool
        /// When the first of what is left is due, by the steady time; `nil` if there is nothing.
        let next: Timestamp?
    }

    /// Removes a part of each kind of which some is due.
    func run(now: Timestamp) {
        fromFeeds(now: now)
        ofChallenges(now: now)
        ofDeletedWorkouts(now: now)
        ofPushTraces(now: now)
    }

    /// Removes a part of what has been there for its time, if that is due.
    ///
    /// - Parameters:
    ///   - what: of what is said that it could not be removed.
    ///   - body: removes no more than `atOnce` rows of a kind.
    func removePart(
        of what: String, _ clock: ReferenceWritableKeyPath<Writer, RemovalClock>, now: Timestamp,
        _ body: (WriteTransaction) throws(StoreError) -> Rest
    ) {
        let steady = writer.steady(now)
        guard writer[keyPath: clock].isDue(now: steady) else { return }
        do throws(StoreError) {
            let rest = try writer.store.write(body)
            writer[keyPath: clock].recordRemoval(next: rest.next, isComplete: rest.isComplete, now: steady)
        } catch {
            writer.report.add("\(what) could not be removed", error)
            writer[keyPath: clock].recordFailure(now: steady)
        }
    }

    /// The same of what is kept for months: it is looked for once an hour, so that nobody has to say when it is due.
    ///
    /// - Parameter body: removes no more than `atOnce` rows, and returns how many.
    func removeOldPart(
        of what: String, _ clock: ReferenceWritableKeyPath<Writer, RemovalClock>, now: Timestamp,
        _ body: (WriteTransaction) throws(StoreError) -> Int
    ) {
        let steady = writer.steady(now)
        removePart(of: what, clock, now: now) { transaction throws(StoreError) in
            let isComplete = try body(transaction) < Removal.atOnce
            return Rest(isComplete: isComplete, next: isComplete ? steady.advanced(by: .seconds(3600)) : steady)
        }
    }
}
