import GRDB
import PrivateFiles

/// A failure of the store, for operators. A device sees `unavailable` or `internal`.
package enum StoreError: Error, Sendable, CustomStringConvertible {
    /// The disk is full. Nothing was written.
    case full
    /// The disk or the file system failed. Nothing was written.
    case inputOutput(code: Int, message: String)
    /// The file is of a newer version of the gateway.
    case newerSchema(path: String)
    /// The file is no database of ours, or damaged.
    case unusable(path: String, message: String)
    /// The database does not sync as it must.
    case notDurable(setting: String)
    /// The database's server is away, busy or read-only. Nothing was written.
    case unavailable(message: String)
    /// Another transaction was in the way. Nothing was written; the same may succeed at once.
    case conflict(message: String)
    /// There is a row already that must be the only one: a neighbour was earlier, or it is a fault of ours. Nothing was
    /// written.
    ///
    /// - Parameter code: the engine's.
    case notUnique(code: String, message: String)
    /// The connection was lost while the server committed: only the next start can tell whether it has.
    case outcomeUnknown(message: String)
    /// Another process has taken over: this one may not write any more.
    case superseded(cell: String)
    /// The database is behind what it has told this process: it was put back, or another server took its place that had
    /// not all of it. The next start begins new epochs.
    case lostCommits(message: String)
    /// Another process has begun new epochs, which this one does not know.
    case eraEnded
    /// A fault of ours: a statement or a constraint failed.
    ///
    /// - Parameter code: the engine's.
    case failed(code: String, message: String)
    /// A fault of ours, or another program has written to the database.
    case inconsistent(Inconsistency)
    /// A fault of ours: an error of this type was thrown in a transaction.
    case unexpected(type: String)

    /// Whether trying again later may help.
    package var isPassing: Bool {
        switch self {
        case .full, .inputOutput, .unavailable, .conflict, .outcomeUnknown, .superseded, .lostCommits, .eraEnded: true
        case .newerSchema, .unusable, .notDurable, .notUnique, .failed, .inconsistent, .unexpected: false
        }
    }

    /// Whether the same may succeed at once.
    package func mayPassAtOnce(amongNeighbours hasNeighbours: Bool) -> Bool {
        switch self {
        case .conflict: true
        case .notUnique: hasNeighbours
        case .full, .inputOutput, .unavailable, .newerSchema, .unusable, .notDurable, .outcomeUnknown, .superseded,
            .lostCommits, .eraEnded, .failed, .inconsistent, .unexpected:
            false
        }
    }

    /// Whether this process must end: what is stored is no longer what it knows.
    package var endsProcess: Bool {
        switch self {
        case .outcomeUnknown, .superseded, .lostCommits, .eraEnded: true
        case .full, .inputOutput, .unavailable, .conflict, .notUnique, .newerSchema, .unusable, .notDurable, .failed,
            .inconsistent, .unexpected:
            false
        }
    }

    package var description: String {
        switch self {
        case .full: "there is no room left where the database lies"
        case .inputOutput(let code, let message): "the database could not be read or written: \(message) (\(code))"
        case .newerSchema(let path):
            "\(path) was made by a newer version of Parley; start that version, or put back a copy from before it"
        case .unusable(let path, let message): "\(path) is not a usable database: \(message)"
        case .notDurable(let setting): "the database does not sync to disk as it must: \(setting)"
        case .unavailable(let message): "the database cannot be used now: \(message)"
        case .conflict(let message): "another transaction was in the way: \(message)"
        case .notUnique(let code, let message): "there is such a row already: \(message) (\(code))"
        case .outcomeUnknown(let message):
            "the connection to the database was lost while it committed: \(message)"
        case .superseded(let cell): "another process runs as the cell \(cell) now"
        case .lostCommits(let message):
            "the database has lost what it had committed (\(message)): it was put back, or a standby took over that did "
                + "not have all of it; the next start begins new epochs"
        case .eraEnded: "the database was put back, and another cell has begun new epochs: start again"
        case .failed(let code, let message): "a database statement failed: \(message) (\(code))"
        case .inconsistent(let inconsistency): "the database is inconsistent: \(inconsistency)"
        case .unexpected(let type): "the database was used in a way that failed: \(type)"
        }
    }

    /// Translates the errors of `body`.
    static func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do { return try body() } catch { throw StoreError(error) }
    }

    /// The same for opening a file, which is unusable where that fails.
    static func opening<Result>(_ path: String, _ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            switch StoreError(error) {
            case .failed(_, let message), .notUnique(_, let message), .inputOutput(_, let message),
                .unexpected(let message):
                throw .unusable(path: path, message: message)
            case let fault: throw fault
            }
        }
    }

    /// What an error thrown inside GRDB means.
    package init(_ error: any Error) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as FileError:
            self = error.isFull ? .full : .inputOutput(code: Int(error.errno), message: error.description)
        case let error as DatabaseError:
            let code = Int(error.extendedResultCode.rawValue)
            let message = error.message ?? "no message"
            switch error.resultCode {
            case .SQLITE_FULL: self = .full
            case .SQLITE_CONSTRAINT
            where [.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY].contains(error.extendedResultCode):
                self = .notUnique(code: "\(code)", message: message)
            case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_NOMEM, .SQLITE_BUSY, .SQLITE_LOCKED:
                self = .inputOutput(code: code, message: message)
            default:
                // The message alone: the arguments of a statement hold content.
                self = .failed(code: "\(code)", message: message)
            }
        default:
            self = .unexpected(type: "\(type(of: error))")
        }
    }
}
