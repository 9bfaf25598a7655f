import ParleyStore
import PostgreSQL
import PrivateFiles

/// A database on a PostgreSQL server, and how to sign in to it.
package struct StoreAddress: Sendable, CustomStringConvertible {
    let settings: PostgreSQLSettings

    /// - Parameters:
    ///   - uri: `postgres://user@host/database`, as libpq takes it.
    ///   - passwordFile: has the password on its first line; `nil` for libpq's own ways.
    ///   - isStandby: whether a server will do that takes no writes.
    /// - Throws: `.unusable` for what cannot be read.
    package init(uri: String, passwordFile: String? = nil, isStandby: Bool = false) throws(StoreError) {
        let password = if let passwordFile { try StoreAddress.password(in: passwordFile) } else { nil as String? }
        do throws(PostgreSQLError) {
            settings = try PostgreSQLSettings(uri: uri, password: password, program: "parleyd", mayOnlyRead: isStandby)
        } catch { throw StoreError(error) }
    }

    private static func password(in file: String) throws(StoreError) -> String {
        let contents: FileContents
        do throws(FileError) { contents = try Files.read(file, maximum: 4096) } catch {
            throw .unusable(path: file, message: error.reason)
        }
        guard !contents.isOpenToOthers else {
            throw .unusable(path: file, message: "it holds a password and others can read it: chmod 600")
        }
        return String(decoding: contents.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Without the password.
    package var description: String { settings.description }
}
