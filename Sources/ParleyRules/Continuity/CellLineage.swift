/// Decides, when a cell starts, whether the database that it shares with others has lost what the cell committed.
///
/// By its own note a cell tells that of its own stream. Where it has no note that counts, others that run vouch for the
/// database, which they have looked at. In doubt the database was put back: devices lose nothing by it.
package enum CellLineage: Hashable, Sendable {
    /// No cell has run on the database before.
    case first
    /// It goes on as the cell left it.
    case same
    /// It goes on, and the cell begins anew at its broker.
    case joined(Reason)
    /// It was put back: all conversations begin new epochs.
    case putBack(Reason)
    /// It is not the cell's database, and others run on it.
    case refused(Reason)

    package enum Reason: Hashable, Sendable, CustomStringConvertible {
        case withoutWitness
        case unreadableWitness
        case otherDatabase
        /// New epochs have begun since.
        case laterEra
        /// In this cell's stream.
        case older(position: Int, noted: Int)
        /// This cell has run on it when it lost what was committed.
        case lost

        package var description: String {
            switch self {
            case .withoutWitness: "this cell has no note of it"
            case .unreadableWitness: "this cell's note of it cannot be read"
            case .otherDatabase: "it is another one than this cell has run on, or an earlier state of it"
            case .laterEra: "new epochs were begun by another cell"
            case .older(let position, let noted):
                "this cell's stream ends at position \(position), and had come to \(noted)"
            case .lost: "it was put back while this cell ran"
            }
        }
    }

    /// In the place of a position: the cell has seen that commits were lost.
    package static let lostPosition = Int.max

    /// - Parameters:
    ///   - era: of the database; `nil` before a cell has run on it.
    ///   - position: the last of the cell's stream.
    ///   - hasNeighbours: whether other cells are live.
    package init(era: DatabaseEra?, position: Int, note: DatabaseLineage.Note, hasNeighbours: Bool) {
        guard let era else {
            self = note.era == nil ? .first : hasNeighbours ? .refused(.otherDatabase) : .putBack(.otherDatabase)
            return
        }
        switch note {
        case .missing: self = hasNeighbours ? .joined(.withoutWitness) : .putBack(.withoutWitness)
        case .unreadable: self = hasNeighbours ? .joined(.unreadableWitness) : .putBack(.unreadableWitness)
        case .witness(let witness):
            guard let noted = witness.era else {
                // The directory had its database in a file, which says nothing of this one.
                self = hasNeighbours ? .joined(.withoutWitness) : .putBack(.withoutWitness)
                return
            }
            if noted.number < era.number {
                self = .joined(.laterEra)
            } else if noted != era {
                self = hasNeighbours ? .refused(.otherDatabase) : .putBack(.otherDatabase)
            } else if witness.position == CellLineage.lostPosition {
                self = .putBack(.lost)
            } else if position < witness.position {
                self = .putBack(.older(position: position, noted: witness.position))
            } else {
                self = .same
            }
        }
    }
}

extension DatabaseLineage.Note {
    /// Of a cell's.
    package var era: DatabaseEra? {
        switch self {
        case .missing, .unreadable: nil
        case .witness(let witness): witness.era
        }
    }
}

extension DatabaseWitness {
    /// A cell's note.
    package init(era: DatabaseEra, position: Int) { self.init(instances: [era.text], position: position) }

    /// `nil` of a note that is no cell's.
    package var era: DatabaseEra? {
        guard instances.count == 1, case .some(.some(let text)) = instances.first else { return nil }
        return DatabaseEra(text)
    }
}
