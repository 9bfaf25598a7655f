import GRDB
import Platform
import PrivateFiles

/// A row whose columns do not hold what was written there: the file is damaged.
struct DamagedRowError: Error {}

extension DeviceStoreError {
    /// What an error thrown while the database was used means.
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
            // The message alone: the arguments of a statement hold what is stored.
            self = .sqlite(code: code.rawValue, message: error.message ?? "no message")
        }
    }

    /// A file that the system does not let us have.
    static func cannotOpen(_ path: String, errno: Int32) -> DeviceStoreError {
        let reason = SystemError.reason(errno)
        return .sqlite(code: ResultCode.SQLITE_CANTOPEN.rawValue, message: "\(path): \(reason)")
    }
}
