import TestSupport
import Foundation
import PrivateFiles
import Testing

@Suite("Replacing private files")
struct ReplacingTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func read(_ name: String) throws -> [UInt8] {
        try Files.read("\(place.path)/\(name)", maximum: 1 << 20).bytes
    }

    @Test("a file is replaced whole, is its owner's alone, and nothing stays beside it")
    func whole() throws {
        try Files.replace("file", in: place.path, with: Array("old and much longer".utf8))
        try place.setPermissions(0o644, of: "file")
        try Files.replace("file", in: place.path, with: [1, 2, 3])
        #expect(try read("file") == [1, 2, 3])
        #expect(try place.permissions("file") == 0o600)
        #expect(try place.names == ["file"])
    }

    @Test("what cannot be written leaves what was there, and nothing beside it")
    func failing() throws {
        try FileManager.default.createDirectory(atPath: "\(place.path)/taken", withIntermediateDirectories: false)
        let refused = #expect(throws: FileError.self) { try Files.replace("taken", in: place.path, with: [1]) }
        #expect(refused?.call == "rename")
        let nowhere = #expect(throws: FileError.self) {
            try Files.replace("file", in: "\(place.path)/nowhere", with: [1])
        }
        #expect(nowhere?.isMissing == true)
        #expect(try place.names == ["taken"])
    }

    @Test("what a killed process has left beside a file goes with the next replacement under the lock")
    func abandoned() throws {
        let lock = try FileLock(waitingFor: "\(place.path)/file.lock")
        try Files.replace(".file.new", in: place.path, with: Array("half of somethi".utf8))
        try Files.replace("file", in: place.path, with: [7], holding: lock)
        #expect(try read("file") == [7])
        #expect(try place.permissions("file") == 0o600)
        #expect(try place.names == ["file", "file.lock"])
    }

    @Test("a link in the temporary file's place is not written through")
    func link() throws {
        let lock = try FileLock(waitingFor: "\(place.path)/file.lock")
        try FileManager.default.createSymbolicLink(
            atPath: "\(place.path)/.file.new", withDestinationPath: "\(place.path)/elsewhere")
        #expect(throws: FileError.self) { try Files.replace("file", in: place.path, with: [7], holding: lock) }
        #expect(!(try place.names.contains("elsewhere")))
    }

    @Test("another content is another identity, the same one is not")
    func identity() throws {
        try Files.replace("file", in: place.path, with: [1])
        let first = try Files.read("\(place.path)/file", maximum: 16).identity
        #expect(try Files.identity(of: "\(place.path)/file") == first)
        try Files.replace("file", in: place.path, with: [1, 2])
        let second = try #require(try Files.identity(of: "\(place.path)/file"))
        #expect(second != first)
        #expect(try Files.read("\(place.path)/file", maximum: 16).identity == second)
    }

    @Test("a private directory is made once, for its owner alone")
    func directory() throws {
        for _ in 0..<2 { try Files.makePrivateDirectory("\(place.path)/inner") }
        #expect(try place.permissions("inner") == 0o700)
        #expect(throws: FileError.self) { try Files.makePrivateDirectory("\(place.path)/a/b") }
    }
}
