import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Detects at the start that the database was put back, and gives it its next name. For a database that cells share,
/// see ``SharedContinuity``.
///
/// After a kill at any step the next process recognizes the database as the same: first the file allows both names,
/// then the database gets the new one, then the file names that alone. A database that was put back is detected at each
/// start until every conversation has its new epoch.
package enum DatabaseContinuity {
    /// Where a process may be killed, for tests.
    package enum Step: CaseIterable, Sendable {
        case bothNamesWritten, databaseNamed, nameWritten
    }

    static let putBack: Logger.Message =
        "the database was put back: every conversation has a new epoch, and devices keep what they have"

    /// Called at each start, before anything else is written.
    ///
    /// - Returns: the mark to record positions in, and whether the database was put back.
    @discardableResult
    package static func begin(
        _ store: Store, in directory: DataDirectory, logger: Logger, name: String = InstanceName.random(),
        reached: (Step) -> Void = { _ in }
    ) throws -> (mark: WitnessMark, isPutBack: Bool) {
        if let cells = store.cells {
            return try SharedContinuity(store, cells, in: directory, logger: logger, name: name).begin()
        }
        let file = WitnessFile(directory)
        let note = try file.read()
        let (instance, position) = try store.read {
            (try $0.continuity.instance(), try $0.outbox.lastPosition().number)
        }
        var isPutBack = false
        switch DatabaseLineage(instance: instance, position: position, note: note) {
        case .first, .same:
            try file.write(DatabaseWitness(instances: [instance, name], position: position))
            reached(.bothNamesWritten)
            try retryingAtStart { try store.write { try $0.continuity.setInstance(name) } }
        case .putBack(let reason):
            isPutBack = true
            let count = try retryingAtStart { try store.write { try $0.beginAnew(as: name) } }
            logger.warning(
                putBack, metadata: ["reason": "\(reason)", "conversations": "\(count)"])
        }
        reached(.databaseNamed)
        let end = try store.read { try $0.outbox.lastPosition().number }
        try file.write(DatabaseWitness(instances: [name], position: end))
        reached(.nameWritten)
        return (try file.mark(position: end), isPutBack)
    }
}

/// The random name of a database between two starts.
package enum InstanceName {
    private static let alphabet = Array("abcdefghijkmnopqrstuvwxyz23456789")

    /// 24 characters, 120 bits.
    package static func random() -> String { String((0..<24).compactMap { _ in alphabet.randomElement() }) }
}

extension WriteTransaction {
    /// Begins a new epoch of every conversation of a database that was put back, and publishes it in `info` of groups.
    ///
    /// The two of a direct conversation may see different ends, which must not be disclosed: its retained message
    /// stays, and `sync/get` has the new epoch.
    ///
    /// - Returns: the number of conversations.
    func beginAnew(as instance: String) throws -> Int {
        let count = try continuity.renewEpochs(Epoch.random)
        try pushLink.remove()
        var last: ConversationKey?
        while true {
            let groups = try facts.info.groupConversations(after: last, limit: 256)
            guard let final = groups.last else { break }
            var effects = Effects()
            try effects.publishInfo(of: groups, self)
            try effects.write(in: self)
            last = final
        }
        try continuity.setInstance(instance)
        return count
    }
}
