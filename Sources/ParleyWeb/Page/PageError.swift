import PrivateFiles
import Sodium

/// Why the files of a page cannot be served.
package enum PageError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(FileError)
    /// A name with other characters than a-z, 0-9, `.`, `_` and `-`, or of no known kind.
    case name(path: String)
    case tooManyFiles
    case tooLarge
    case noIndex
    case digest(SodiumError)

    package var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .name(let path): "\(path): a page has no file of this name or kind"
        case .tooManyFiles: "a page has at most \(PageFiles.mostFiles) files"
        case .tooLarge: "a page has at most \(PageFiles.mostBytes) bytes"
        case .noIndex: "the page has no \(PageFiles.index)"
        case .digest(let error): "SHA-256: \(error)"
        }
    }
}
