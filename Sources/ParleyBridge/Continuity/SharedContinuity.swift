import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// What `DatabaseContinuity` is for a database that cells share: whether it has lost commits is one question, and
/// whether this cell has to begin anew at its broker another.
///
/// All of it is one transaction, while no other cell begins. After a kill the next process decides the same, or finds
/// that the new era has begun.
struct SharedContinuity {
    private let store: Store
    private let cells: any Cells
    private let file: WitnessFile
    private let logger: Logger
    /// Of this start.
    private let name: String

    init(_ store: Store, _ cells: any Cells, in directory: DataDirectory, logger: Logger, name: String) {
        (self.store, self.cells, self.logger, self.name) = (store, cells, logger, name)
        file = WitnessFile(directory)
    }

    private struct Decision {
        let lineage: CellLineage
        let era: DatabaseEra
        /// The other cells that run.
        let neighbours: [String]
        /// How many conversations have new epochs.
        var renewed = 0

        /// Whether the database is of another time than this cell's last process.
        var isOfOtherTime: Bool {
            switch lineage {
            case .putBack, .joined(.laterEra): true
            case .first, .same, .joined, .refused: false
            }
        }
    }

    func begin() throws -> (mark: WitnessMark, isPutBack: Bool) {
        let note = try file.read()
        let decision = try retryingAtStart {
            try store.write(isolation: .byConversation) { transaction in try decide(note, transaction) }
        }
        try report(decision)
        let end = try store.read { try $0.outbox.lastPosition().number }
        try file.write(DatabaseWitness(era: decision.era, position: end))
        return (try file.mark(position: end, pause: .zero), decision.isOfOtherTime)
    }

    private func decide(_ note: DatabaseLineage.Note, _ transaction: WriteTransaction) throws -> Decision {
        let era = try cells.lockEra(in: transaction).map(parsed)
        let neighbours = try cells.states(in: transaction.facts).filter { $0.isLive && $0.number != cells.own }
        let lineage = CellLineage(
            era: era, position: try transaction.facts.outbox.lastPosition().number, note: note,
            hasNeighbours: !neighbours.isEmpty)
        let next = DatabaseEra(after: [era, note.era], name: name)
        var decision = Decision(lineage: lineage, era: era ?? next, neighbours: neighbours.map(\.name))
        switch lineage {
        case .refused: return decision
        case .first: try cells.setEra(next.text, in: transaction)
        case .same: break
        case .joined(let reason):
            try transaction.outbox.forgetBroker()
            // What was to be pushed may have arrived before the database was put back.
            if reason == .laterEra { try transaction.pushLink.remove() }
        case .putBack:
            // First, so that nobody else writes meanwhile.
            try cells.endOthers(in: transaction)
            try cells.setEra(next.text, in: transaction)
            decision = Decision(
                lineage: lineage, era: next, neighbours: decision.neighbours,
                renewed: try transaction.beginAnew(as: name))
        }
        try transaction.continuity.setInstance(name)
        // Whoever begins next finds that this cell vouches for the database.
        try cells.extendLease()
        return decision
    }

    private func parsed(_ text: String) throws(StoreError) -> DatabaseEra {
        guard let era = DatabaseEra(text) else { throw .failed(code: "era", message: "the era cannot be read") }
        return era
    }

    private func report(_ decision: Decision) throws(DataDirectoryError) {
        switch decision.lineage {
        case .first, .same: break
        case .joined(let reason):
            logger.notice("this cell begins anew at its broker", metadata: ["reason": "\(reason)"])
        case .putBack(let reason):
            logger.warning(
                DatabaseContinuity.putBack,
                metadata: ["reason": "\(reason)", "conversations": "\(decision.renewed)"])
        case .refused(let reason):
            throw DataDirectoryError(
                "\(file.path) does not belong to the database: \(reason). If the database was put back, stop all cells "
                    + "first (\(decision.neighbours.joined(separator: ", "))), and start this one before the others; "
                    + "if the data directory is another gateway's, start with an empty one")
        }
    }
}
