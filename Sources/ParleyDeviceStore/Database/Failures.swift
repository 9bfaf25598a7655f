import GRDB
import Platform
import PrivateFiles

/// A row with invalid columns: the file is damaged.
struct DamagedRowError: Error {}

extension DeviceStoreError {
    /// Maps any error thrown during a use of the database.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as DeviceStoreError: self = error
        case is DamagedRowError, is RowDecodingError: self = .damaged(path: path)
        case let error as FileError: self = .cannotOpen(error.path, errno: error.errno)
        case let error as DatabaseError: self.init(error, path: path)
        default: self = .sqlite(code: ResultCode.SQLITE_ERROR.rawValue, message: "\(type(of: error))")
        }
    }

    private init(_ error: DatabaseError, path: String) {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .inUse(path: path)
        case let code:
            // Without the statement's arguments, which are content.
            self = .sqlite(code: code.rawValue, message: error.message ?? "no message")
        }
    }

    /// The system refused access to a file.
    static func cannotOpen(_ path: String, errno: Int32) -> DeviceStoreError {
        let reason = SystemError.reason(errno)
        return .sqlite(code: ResultCode.SQLITE_CANTOPEN.rawValue, message: "\(path): \(reason)")
    }
}
