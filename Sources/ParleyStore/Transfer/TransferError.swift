/// A reason why a database is not copied, for operators.
package enum TransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The two schemas differ in a table or a column: programs of two versions have made them.
    case schemasDiffer(String)
    /// The target holds rows already.
    case notEmpty(table: String)
    /// The target holds a part of another database, or of another state of this one.
    case otherTransfer
    /// A gateway was started on one of the two meanwhile.
    case gatewayStarted
    /// Cells of the database are not over yet.
    case cellsRun([String])
    case noSuchCell(String, among: [String])
    /// Of several cells, one has not published all that it has committed.
    case unpublished(cell: String)
    /// A position is not in the stream of any gateway of the database.
    case foreignPosition(Int)
    /// The copy is complete and not the same.
    case differs(String)

    package var description: String {
        switch self {
        case .schemasDiffer(let what): "the two databases are of different versions: they differ in \(what)"
        case .notEmpty(let table):
            "there is a gateway's database already: \(table) has rows; drop the schema, or name another database"
        case .otherTransfer:
            "there is a part of a copy of another database, or of this one before its gateway was started again; "
                + "remove that part first"
        case .gatewayStarted: "a gateway was started on the database meanwhile: stop it, remove the copy, begin again"
        case .cellsRun(let names):
            "the cells of the database are to be stopped first; still running, or ended less than seconds ago: "
                + names.joined(separator: ", ")
        case .noSuchCell(let name, let names):
            "the database has no cell \(name); it has " + (names.isEmpty ? "none" : names.joined(separator: ", "))
        case .unpublished(let cell):
            "the cell \(cell) has not published all that it has committed: start it, wait until it is ready, stop it"
        case .foreignPosition(let position): "position \(position) is in no gateway's stream"
        case .differs(let what): "the copy is not the same: \(what)"
        }
    }
}
