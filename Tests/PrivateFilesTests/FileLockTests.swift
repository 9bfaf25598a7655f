import Foundation
import PrivateFiles
import Testing

@Suite("Locks between processes")
struct FileLockTests {
    private let place: TemporaryDirectory
    private var path: String { "\(place.path)/lock" }

    init() throws { place = try TemporaryDirectory() }

    /// Whether another process, `flock(1)`, gets the lock at once.
    private func isFreeForOthers() throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["--nonblock", path, "true"]
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test("one has it, in this process and in all others, until it is released")
    func exclusive() throws {
        let lock = try #require(try FileLock(ifFree: path))
        #expect(try FileLock(ifFree: path) == nil)
        #expect(try !isFreeForOthers())
        lock.release()
        #expect(try isFreeForOthers())
        let next = try #require(try FileLock(ifFree: path))
        #expect(try !isFreeForOthers())
        next.release()
    }

    @Test("it ends with its last reference")
    func dropped() throws {
        do {
            let lock = try FileLock(waitingFor: path)
            #expect(try FileLock(ifFree: path) == nil)
            withExtendedLifetime(lock) {}
        }
        #expect(try isFreeForOthers())
    }

    @Test("the file is its owner's alone, and stays")
    func file() throws {
        try FileLock(waitingFor: path).release()
        #expect(try place.permissions("lock") == 0o600)
    }

    @Test("who waits gets it when it is released, and nobody beside")
    func waiting() throws {
        // Each adds one to a number in a file, which it reads before: without the lock some would be lost.
        let place = place, path = path
        try Files.replace("count", in: place.path, with: [0])
        let failed = LockedFlag()
        DispatchQueue.concurrentPerform(iterations: 40) { _ in
            do {
                let lock = try FileLock(waitingFor: path)
                defer { lock.release() }
                let count = try Files.read("\(place.path)/count", maximum: 1).bytes[0]
                try Files.replace("count", in: place.path, with: [count + 1], holding: lock)
            } catch {
                failed.set()
            }
        }
        #expect(!failed.isSet)
        #expect(try Files.read("\(place.path)/count", maximum: 1).bytes == [40])
    }

    @Test("where no lock file can be made, the system's reason is given")
    func unusable() {
        #expect(throws: FileError.self) { try FileLock(waitingFor: "\(place.path)/nowhere/lock") }
        #expect(throws: FileError.self) { try FileLock(ifFree: place.path) }
    }
}

private final class LockedFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    func set() { lock.withLock { value = true } }
    var isSet: Bool { lock.withLock { value } }
}
