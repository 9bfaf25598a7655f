import TestSupport
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

    @Test("a child process that shares the descriptor does not keep what was released", arguments: [true, false])
    func sharedDescriptor(isReleased: Bool) throws {
        var lock: FileLock? = try FileLock(ifFree: path)
        let child = try Spawned(sharing: path)
        if isReleased { lock?.release() }
        if !isReleased { lock = nil }
        #expect(try FileLock(ifFree: path, patience: .zero) != nil)
        #expect(try isFreeForOthers())
        withExtendedLifetime((lock, child)) {}
    }

    @Test("the lock of a killed process is had as soon as the child that it was starting has let go of it")
    func killedOwner() async throws {
        // The lock outlives its owner in a child, as between `fork` and `exec`; `$1` gets the child's number.
        let owner = try Spawned(
            "/bin/sh",
            ["-c", "exec 9>\"$0\"; flock 9; sleep 600 & echo $! >\"$1\"; kill -KILL $$", path, path + ".child"])
        owner.waitUntilEnded()
        let child = try #require(
            pid_t(String(decoding: try Files.read(path + ".child", maximum: 20).bytes.dropLast(), as: UTF8.self)))
        defer { kill(child, SIGKILL) }
        #expect(try FileLock(ifFree: path, patience: .zero) == nil)

        let path = path
        async let lock = Task.detached { try FileLock(ifFree: path, patience: .seconds(60)) }.value
        kill(child, SIGKILL)
        #expect(try await lock != nil)
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

/// A program that a test starts; it ends with the value. (Foundation's `Process` waits for grandchildren, too.)
private final class Spawned {
    private let identifier: pid_t
    private var hasEnded = false

    /// - Parameter shared: a descriptor of this process of which the program gets a copy that outlives `exec`.
    init(_ path: String, _ arguments: [String], sharing shared: Int32? = nil) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let shared { unsafe posix_spawn_file_actions_adddup2(&actions, shared, 1023) }
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, path, &actions, nil, &words, environ)
        try #require(code == 0)
        identifier = child
    }

    /// A child that shares a file which this process has open, as any child does between `fork` and `exec`.
    convenience init(sharing path: String) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // However many descriptors other tests have open at the moment.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let descriptor = try #require(
            open.first { number in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == target
            })
        try self.init("/bin/sleep", ["600"], sharing: descriptor)
    }

    func waitUntilEnded() {
        hasEnded = true
        waitpid(identifier, nil, 0)
    }

    deinit {
        guard !hasEnded else { return }
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }
}
