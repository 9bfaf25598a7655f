import Synchronization

@testable import ParleyStore

/// A database file whose readers fail while a test says so.
final class AbsentStore: StoreEngine {
    private let file: SQLiteFile
    private let failure = Mutex<StoreError?>(nil)

    init(_ file: SQLiteFile) { self.file = file }

    /// What reading fails by; `nil` where it does not.
    var fault: StoreError? {
        get { failure.withLock { $0 } }
        set { failure.withLock { $0 = newValue } }
    }

    var cells: (any Cells)? { nil }
    var pushes: (any SharedPushes)? { nil }

    func write<Result>(_ isolation: Isolation, _ body: (Database) throws -> Result) throws -> Result {
        try file.write(isolation, body)
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        if let fault { throw fault }
        return try file.read(body)
    }

    func checkpoint() throws { try file.checkpoint() }

    func close() throws { try file.close() }
}
