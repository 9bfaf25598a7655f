import NIOCore
import PrivateFiles
import Sodium
import Zlib

/// The static files of a page, read once into memory.
package struct PageFiles: Sendable {
    struct File: Sendable {
        let type: String
        let plain: Form
        /// Compressed, if that is shorter.
        let gzip: Form?

        /// The bytes, of one encoding, and their tag.
        struct Form: Sendable {
            let bytes: ByteBuffer
            let tag: EntityTag

            fileprivate init(_ bytes: [UInt8]) throws(SodiumError) {
                self.bytes = ByteBuffer(bytes: bytes)
                tag = EntityTag(try SHA256.hash(bytes.span))
            }
        }
    }

    package static let mostFiles = 200
    /// Of all files together.
    package static let mostBytes = 2 << 20
    /// Folders in folders.
    private static let mostLevels = 6

    static let index = "index.html"
    /// The first level of the door's own paths.
    private static let reservedFolders: Set<String> = ["api", "mqtt", "ws"]

    /// By path, which begins with `/`.
    private var files: [String: File] = [:]
    private let indexFile: File

    /// Reads a folder and those in it. A name with an extension is a file's, one without a folder's.
    package init(directory: String) throws(PageError) {
        var (files, size): ([String: File], Int) = ([:], 0)
        var folders = [""]
        while let folder = folders.popLast() {
            let path = directory + folder
            for name in try PageFiles.reading({ () throws(FileError) in try Files.names(in: path) }) {
                let place = "\(folder)/\(name)"
                guard PageFiles.isPlain(name) else { throw .name(path: place) }
                guard let dot = name.lastIndex(of: ".") else {
                    guard place.split(separator: "/").count <= PageFiles.mostLevels,
                        !folder.isEmpty || !PageFiles.reservedFolders.contains(name)
                    else { throw .name(path: place) }
                    folders.append(place)
                    continue
                }
                guard let type = PageFiles.types[String(name[name.index(after: dot)...])] else {
                    throw .name(path: place)
                }
                guard files.count < PageFiles.mostFiles else { throw .tooManyFiles }
                let file = try PageFiles.file(directory + place, type, maximum: PageFiles.mostBytes - size)
                size += file.plain.bytes.readableBytes
                files[place] = file
            }
        }
        guard let index = files["/\(PageFiles.index)"] else { throw .noIndex }
        (self.files, indexFile) = (files, index)
    }

    /// - Parameter target: path and query of a request, as received.
    func file(at target: String) -> File? {
        let path = target.prefix { $0 != "?" }
        if let file = files[String(path)] { return file }
        return PageFiles.isAppPath(path) ? indexFile : nil
    }

    /// The paths that the page itself routes: `/`, and `/board/{group}`.
    private static func isAppPath(_ path: Substring) -> Bool {
        if path == "/" { return true }
        let board = "/board/"
        guard path.hasPrefix(board) else { return false }
        let group = path.dropFirst(board.count)
        return !group.isEmpty && !group.contains("/")
    }

    private static func file(_ path: String, _ type: String, maximum: Int) throws(PageError) -> File {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(path, maximum: maximum).bytes
        } catch {
            throw error.isTooLarge ? .tooLarge : .unreadable(error)
        }
        do throws(SodiumError) {
            let gzip = type.hasPrefix("image/png") ? nil : Gzip.compress(bytes)
            return File(type: type, plain: try File.Form(bytes), gzip: try gzip.map(File.Form.init))
        } catch {
            throw .digest(error)
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }

    private static func reading<Value>(_ body: () throws(FileError) -> Value) throws(PageError) -> Value {
        do throws(FileError) {
            return try body()
        } catch {
            throw .unreadable(error)
        }
    }

    /// By extension.
    private static let types = [
        "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "png": "image/png",
        "svg": "image/svg+xml", "txt": "text/plain; charset=utf-8", "webmanifest": "application/manifest+json",
    ]
}
