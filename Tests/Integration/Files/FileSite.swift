import Foundation
import HTTPDoubles
import ParleyClient
import ParleyCurl
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

/// A gateway with a door that keeps files, which may go away and come back at its port.
final class FileSite: Sendable {
    let gateway: TestGateway
    let port: UInt16
    private let door: Mutex<TestDoor?>

    init(_ gateway: TestGateway) throws {
        let door = try FileSite.open(gateway, port: 0)
        (self.gateway, port) = (gateway, door.port)
        self.door = Mutex(door)
    }

    private static func open(_ gateway: TestGateway, port: UInt16) throws -> TestDoor {
        try TestDoor(
            gateway,
            [
                "--accounts", try gateway.directory(of: .webDoor) + "/credentials.json", "--accounts-socket",
                gateway.brokerSocket, "--blobs", gateway.directory + "/door-files", "--blobs-reserve", "16", "--port",
                "\(port)",
            ])
    }

    func closeDoor() {
        door.withLock { door in
            door?.end(with: SIGKILL)
            door = nil
        }
    }

    func openDoor() throws {
        let door = try FileSite.open(gateway, port: port)
        self.door.withLock { $0 = door }
    }

    func send(_ signal: Int32) { door.withLock { $0?.send(signal) } }

    /// What the door has of all files.
    var storedBytes: Int {
        let root = gateway.directory + "/door-files"
        let names = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    /// Names this door in the gateway's data directory, as `parleyd init --web-port` does.
    func standInDataDirectory() throws {
        let file = URL(filePath: gateway.directory + "/endpoint.json")
        let endpoint = try JSON(parsing: Data(contentsOf: file)).with(["web_port": .int(Int(port))])
        try Data(endpoint.bytes).write(to: file, options: .atomic)
    }

    /// A user with a device that knows the door.
    func chatter(doorPort: Int? = nil) throws -> ChatDevice {
        var device = try gateway.chatter()
        device.configuration.door = try FileSite.access(doorPort ?? Int(port))
        return device
    }

    static func access(_ port: Int) throws -> WebDoorAccess {
        WebDoorAccess(try #require(WebDoorAddress("http://127.0.0.1:\(port)")), over: CurlTransport())
    }

    /// A file of the gateway's directory with bytes that no other has.
    func file(_ size: Int, name: String) throws -> (path: String, content: Data) {
        let source = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        var content = Data(capacity: size)
        while content.count < size { content += try source.read(upToCount: size - content.count) ?? Data() }
        let path = "\(gateway.directory)/\(name)"
        try content.write(to: URL(filePath: path))
        return (path, content)
    }
}

extension ClientEvents {
    /// The next message with a file that stands in the log.
    mutating func file() async throws -> ChatMessage {
        try await next("a message with a file") { event in
            guard let message = event.message, message.position != nil, message.attachment != nil else {
                return nil
            }
            return message
        }
    }
}
