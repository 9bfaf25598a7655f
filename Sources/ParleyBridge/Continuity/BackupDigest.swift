import ParleyProtocol
import PrivateFiles
import Sodium

/// The digest of a backup, in a file beside it as `b2sum --check` reads it: BLAKE2b, 256 bits.
enum BackupDigest {
    static func name(of file: String) -> String { file + ".b2" }

    private static let chunk = 1 << 20

    /// The digest of a file's bytes, in hexadecimal digits.
    static func digest(of path: String) throws -> String {
        let file = try OpenFile(resolving: path)
        file.adviseSequentialReading()
        var hash = try BLAKE2b(length: .bytes32)
        var offset = 0
        while true {
            let part = try file.read(count: chunk, at: offset)
            guard !part.isEmpty else { break }
            try hash.update(part.span)
            offset += part.count
        }
        return try hash.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The digest that was noted beside a file; `nil` where there is none.
    ///
    /// - Throws: a sentence, where it cannot be read.
    static func noted(of path: String) throws(DataDirectoryError) -> String? {
        let file = name(of: path)
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(file, maximum: 8192).bytes
        } catch {
            if error.isMissing { return nil }
            throw DataDirectoryError("the digest of the backup cannot be read: \(error)")
        }
        let digits = bytes.prefix { $0 != UInt8(ascii: " ") && $0 != 10 }
        guard digits.count == 64 else {
            throw DataDirectoryError("\(file) holds no digest: remove it to do without one")
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
