import TestSupport
import Foundation
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("The names of a device's connections")
struct ConnectionNameTests {
    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let phone = device("alice/phone")

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
        try directory.make()
    }

    private func claim(_ path: String?, of device: DeviceAddress? = nil) -> ClaimedName {
        ClaimedName(.free, of: device ?? phone, directory: path)
    }

    @Test("one after another they have one name; at once each has another, and each is one of eight")
    func reuse() throws {
        let names = (0..<50).map { _ in claim(directory.path).name }
        #expect(Set(names).count == 1)
        let held = (0..<8).map { _ in claim(directory.path) }
        #expect(Set(held.map(\.name)).count == 8)
        #expect(held[0].name == names[0])
        let more = [claim(directory.path), claim(directory.path)].map(\.name)
        #expect(Set(held.map(\.name) + more).count == 10)
        withExtendedLifetime(held) {}
        for name in held.map(\.name) + more {
            #expect(ClientID(address: phone, connection: name)?.connection == name)
        }
    }

    @Test("what is free again is used again")
    func release() {
        var held = (0..<3).map { _ in claim(directory.path) }
        let name = held[1].name
        held.remove(at: 1)
        #expect(claim(directory.path).name == name)
    }

    @Test("another process that shares the directory is seen; another directory has other names")
    func processes() throws {
        let first = claim(directory.path).name
        let script = Process()
        script.executableURL = URL(filePath: "/usr/bin/flock")
        script.arguments = ["\(directory.path)/connection-0.lock", "sh", "-c", "echo; read line"]
        let (input, output) = (Pipe(), Pipe())
        (script.standardInput, script.standardOutput) = (input, output)
        try script.run()
        #expect(output.fileHandleForReading.availableData.count == 1)
        #expect(claim(directory.path).name != first)
        try input.fileHandleForWriting.close()
        script.waitUntilExit()
        #expect(claim(directory.path).name == first)
        let other = try TemporaryDirectory()
        #expect(claim(other.directory(of: phone).path).name != first)
    }

    @Test("without a directory, or without one that is there, names are this process's")
    func nowhere() {
        // Of no other test, which would take names of this process, too.
        let other = device("nobody-else/phone")
        for path in [nil, "/nonexistent/\(UUID())"] {
            let held = (0..<3).map { _ in claim(path, of: other) }
            #expect(Set(held.map(\.name)).count == 3)
            withExtendedLifetime(held) {}
            let (one, two) = (claim(path, of: other).name, claim(path, of: other).name)
            #expect(one == two)
        }
    }

    @Test("a name that is asked for is taken as it is")
    func given() {
        #expect(ClaimedName(.further("app"), of: phone, directory: nil).name == "app")
        #expect(ClaimedName(.main, of: phone, directory: nil).name == nil)
    }
}
