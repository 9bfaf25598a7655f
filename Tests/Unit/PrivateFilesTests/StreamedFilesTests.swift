import TestSupport
import PrivateFiles
import Testing

@Suite("Files that are read and written a piece at a time")
struct StreamedFilesTests {
    private struct EnoughError: Error {}

    @Test("what was written and committed is read again, and replaces what was there")
    func committed() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        for content in [[UInt8](repeating: 7, count: 100_000), [1, 2, 3], []] {
            try write(content, to: path)
            #expect(try read(path, pieces: 4096) == content)
            #expect(try directory.names == ["file"])
        }
        #expect(try directory.permissions("file") == 0o600)
    }

    @Test("what was not committed leaves nothing, and what was there before it untouched")
    func abandoned() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        #expect(throws: EnoughError.self) { try write([1, 2, 3], to: path, failing: true) }
        #expect(try directory.names.isEmpty)
        try write([4], to: path)
        #expect(throws: EnoughError.self) { try write([1, 2, 3], to: path, failing: true) }
        #expect(try directory.names == ["file"])
        #expect(try read(path, pieces: 10) == [4])
    }

    @Test("a file or directory that is not there is a named failure")
    func missing() throws {
        let path = try TemporaryDirectory().path + "/nowhere/file"
        #expect { try read(path, pieces: 10) } throws: { ($0 as? FileError)?.isMissing == true }
        #expect { try write([1], to: path) } throws: { ($0 as? FileError)?.isMissing == true }
    }

    private func write(_ bytes: [UInt8], to path: String, failing: Bool = false) throws {
        var writer = try FileWriter(path)
        try writer.write(bytes.span.extracting(0..<(bytes.count / 2)))
        if failing { throw EnoughError() }
        try writer.write(bytes.span.extracting((bytes.count / 2)...))
        try writer.commit()
    }

    private func read(_ path: String, pieces: Int) throws -> [UInt8] {
        let reader = try FileReader(path)
        var bytes: [UInt8] = []
        while true {
            let piece = try [UInt8](capacity: pieces) { target in try reader.read(into: &target) }
            guard !piece.isEmpty else { return bytes }
            bytes += piece
        }
    }
}
