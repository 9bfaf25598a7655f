import TestSupport
import Foundation
import PrivateFiles
import Testing

@Suite("Reading private files")
struct ReadingTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    @Test("a file that is not there is said to be missing")
    func missing() throws {
        let error = #expect(throws: FileError.self) { try Files.read("/nowhere/at/all", maximum: 16) }
        #expect(error?.isMissing == true)
        #expect(error?.description == "/nowhere/at/all: No such file or directory (open)")
        #expect(try Files.identity(of: "/nowhere/at/all") == nil)
    }

    @Test(
        "a file is read whole up to the maximum, and not one byte past it",
        arguments: [0, 1, 4095, 65_536, 65_537, 200_000])
    func bounded(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Files.replace("file", in: place.path, with: bytes)
        #expect(try Files.read("\(place.path)/file", maximum: count).bytes == bytes)
        #expect(try Files.read("\(place.path)/file", maximum: count + 1).bytes == bytes)
        guard count > 0 else { return }
        let error = #expect(throws: FileError.self) {
            try Files.read("\(place.path)/file", maximum: count - 1)
        }
        #expect(error?.isTooLarge == true)
    }

    @Test("a file without an end is given up at the maximum")
    func endless() {
        for maximum in [0, 10, 100_000] {
            let error = #expect(throws: FileError.self) { try Files.read("/dev/zero", maximum: maximum) }
            #expect(error?.isTooLarge == true)
        }
    }

    @Test("a file that does not say its size is read to its end")
    func sizeless() throws {
        #expect(try Files.read("/proc/self/maps", maximum: 1 << 24).bytes.count > 4096)
    }

    @Test("what is no file to read is refused with the system's reason")
    func directory() {
        let error = #expect(throws: FileError.self) { try Files.read(place.path, maximum: 1 << 20) }
        #expect(error?.call == "read" && error?.errno == EISDIR)
    }

    @Test("who else may use a file is told by its permissions", arguments: [0o600, 0o400, 0o700])
    func ownersAlone(mode: Int) throws {
        try Files.replace("file", in: place.path, with: [1])
        try place.setPermissions(mode, of: "file")
        #expect(try !Files.read("\(place.path)/file", maximum: 16).isOpenToOthers)
        for others in [0o040, 0o004, 0o020, 0o001] {
            try place.setPermissions(mode | others, of: "file")
            #expect(try Files.read("\(place.path)/file", maximum: 16).isOpenToOthers)
        }
    }
}
