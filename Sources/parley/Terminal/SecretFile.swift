import ParleyProtocol
import PrivateFiles

/// A file that a person names in place of typing a secret, which stands on its first line.
struct SecretFile {
    let path: String
    /// What others who read it could do, as the end of a sentence.
    let danger: String

    /// - Parameter maximum: of the file, in bytes.
    /// - Returns: `nil` if the line is not UTF-8.
    /// - Throws: ``ToolError`` also for a file that others may use.
    func readFirstLine(maximum: Int) throws(ToolError) -> String? {
        let file: FileContents
        do throws(FileError) {
            file = try Files.read(path, maximum: maximum)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
        guard !file.isOpenToOthers else {
            let path = path.printable
            throw ToolError(
                .noAnswer,
                "\(path) can be read by others than its owner, who could \(danger); correct it with: chmod 600 \(path)")
        }
        return String(validating: file.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
