import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Finds out at the start whether the database was put back, and gives it its next name.
///
/// The order of the steps is such that, wherever a process is killed, the next one recognizes the database as the same:
/// the file allows both names, then the database has the new one, then the file names it alone. One that was put back
/// is recognized at each start until every conversation has its new epoch.
package enum DatabaseContinuity {
    /// Where a process may be killed, for tests.
    package enum Step: CaseIterable, Sendable {
        case bothNamesWritten, databaseNamed, nameWritten
    }

    /// Called at each start, before anything else is written.
    ///
    /// - Returns: where to record from now on how far the database has come, and whether it was put back.
    @discardableResult
    package static func begin(
        _ store: Store, in directory: DataDirectory, logger: Logger, name: String = InstanceName.random(),
        reached: (Step) -> Void = { _ in }
    ) throws -> (mark: WitnessMark, isPutBack: Bool) {
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
            try store.write { try $0.continuity.setInstance(name) }
        case .putBack(let reason):
            isPutBack = true
            let count = try store.write { try $0.beginAnew(as: name) }
            logger.warning(
                "the database was put back: every conversation has a new epoch, and devices keep what they have",
                metadata: ["reason": "\(reason)", "conversations": "\(count)"])
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
    /// Everything that follows from a database's having been put back, in one transaction: every conversation begins a
    /// new epoch, and what the broker retains of groups says so.
    ///
    /// Of a direct conversation the two may see different ends, which must not be disclosed: what is retained of it
    /// stays, and `sync/get` has the new epoch.
    ///
    /// - Returns: how many conversations there are.
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
