/// A gateway's record beside its database of how it left that.
package struct DatabaseWitness: Hashable, Sendable {
    /// The names that the database may have: two during a renaming; `nil` for none.
    package var instances: Set<String?>
    /// The least position of the database in its stream.
    package var position: Int

    package init(instances: Set<String?>, position: Int) { (self.instances, self.position) = (instances, position) }
}

/// Decides at each start whether a database is the one that the gateway left, or an earlier one that was put back.
///
/// It is recognized by its name, which changes at each start, and within a run of the gateway by its position. In doubt
/// it was put back: devices lose nothing by it.
package enum DatabaseLineage: Hashable, Sendable {
    case first
    case same
    case putBack(Reason)

    package enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// It has a name and no witness.
        case withoutWitness
        case unreadableWitness
        case otherInstance
        case older(position: Int, noted: Int)

        package var description: String {
            switch self {
            case .withoutWitness: "it is another gateway's, or the file beside it is gone"
            case .unreadableWitness: "the file beside it cannot be read"
            case .otherInstance: "it is not the one that the last start left"
            case .older(let position, let noted): "it ends at position \(position), and had come to \(noted)"
            }
        }
    }

    /// The file beside a database.
    package enum Note: Hashable, Sendable {
        case missing
        case unreadable
        case witness(DatabaseWitness)
    }

    /// - Parameters:
    ///   - instance: the name of the database, if any.
    ///   - position: of the database.
    package init(instance: String?, position: Int, note: Note) {
        switch note {
        case .missing: self = instance == nil ? .first : .putBack(.withoutWitness)
        case .unreadable: self = .putBack(.unreadableWitness)
        case .witness(let witness):
            if !witness.instances.contains(instance) {
                self = .putBack(.otherInstance)
            } else if position < witness.position {
                self = .putBack(.older(position: position, noted: witness.position))
            } else {
                self = .same
            }
        }
    }
}
