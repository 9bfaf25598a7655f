/// What a gateway records beside its database of how it left it.
package struct DatabaseWitness: Hashable, Sendable {
    /// The names that the database may have: two while it is given another. `nil` for one that has none.
    package var instances: Set<String?>
    /// The database has come at least so far in the order of everything that is published.
    package var position: Int

    package init(instances: Set<String?>, position: Int) { (self.instances, self.position) = (instances, position) }
}

/// Whether a database is the one that the gateway left, or was put back in its place: decided at each start.
///
/// A database that was put back is recognized by its name, which is another after each start, and within one run of the
/// gateway by how far it has come. Where that cannot be known, it was put back: devices lose nothing by it.
package enum DatabaseLineage: Hashable, Sendable {
    /// Nobody has noted anything yet.
    case first
    case same
    case putBack(Reason)

    package enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// It was named by a gateway, and nothing is noted beside it.
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

    /// What is noted beside a database.
    package enum Note: Hashable, Sendable {
        case missing
        case unreadable
        case witness(DatabaseWitness)
    }

    /// - Parameters:
    ///   - instance: the name that the database bears; `nil` if it was never given one.
    ///   - position: how far it has come.
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
