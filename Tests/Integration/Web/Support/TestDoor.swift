import Launch
import MQTTWire
import ParleyProtocol
import Platform
import TestSupport
import Testing

/// A real `parley-web` before a test's gateway.
final class TestDoor: Sendable {
    let port: UInt16
    private let program: ChildProcess
    private let files: ServiceFiles

    /// Starts it, and returns when apps can come.
    init(_ gateway: TestGateway, _ arguments: [String] = [], name: String? = nil) throws {
        let name = name ?? gateway.uniqueName("door")
        let files = ServiceFiles(name, in: gateway.directory)
        let fixed = ["--port", "0", "--broker", "127.0.0.1:\(gateway.mqttPort)", "--name", name]
        program = try files.launch(Programs.path("parley-web"), fixed + arguments)
        try program.awaitStart("parley-web", said: files.errors) { files.output.hasSuffix("\n") }
        let digits = files.output.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
        guard files.output.hasPrefix("parley-web: ready"), let port = UInt16(digits) else {
            throw StartError("parley-web", files.output)
        }
        (self.port, self.files) = (port, files)
    }

    deinit { program.end(with: SIGKILL) }

    var log: String { files.errors }
    var isRunning: Bool { program.isRunning }

    func send(_ signal: Int32) { program.send(signal) }
    @discardableResult
    func end(with signal: Int32 = SIGTERM) -> Int32 { program.end(with: signal) }
}

// MARK: HTTP

/// An answer of the door's, as tests look at it.
struct WebAnswer {
    let status: Int
    let json: JSON
    let fields: HTTPConnection.Answer

    init(_ answer: HTTPConnection.Answer) {
        (status, fields) = (answer.status, answer)
        json = (try? JSON(parsing: answer.body)) ?? .null
    }

    /// Of an error (protocol §4).
    var code: String? { json["ok"] == false ? json["error"]["code"].text : nil }
}

extension TestDoor {
    func connect() throws -> HTTPConnection { try HTTPConnection(toLoopbackPort: port) }

    /// Asks on a connection of its own.
    func ask(
        _ method: String, _ path: String, _ body: JSON? = nil, as credentials: DeviceCredentials? = nil,
        _ fields: [String] = []
    ) throws -> WebAnswer {
        let connection = try connect()
        try connection.send(TestDoor.request(method, path, body?.bytes, token: credentials?.password, fields))
        guard let answer = try connection.answer(hasBody: method != "HEAD") else {
            throw NeverCameError("an answer to \(method) \(path)")
        }
        return WebAnswer(answer)
    }

    static func request(
        _ method: String, _ target: String, _ body: [UInt8]? = nil, token: String? = nil, _ fields: [String] = []
    ) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: door.example"] + fields
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.count)"] }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }

    /// Whether the door answers people meanwhile.
    func answersOthers() throws -> Bool { try ask("GET", "/api/v1/openapi.json").status == 200 }
}

// MARK: One door for the tests of a suite

/// Gives all tests of a suite one door before their shared gateway.
struct SharedDoor: SuiteTrait, TestScoping {
    @TaskLocal private static var running: TestDoor?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let door = try TestDoor(SharedGateway.current)
        try await SharedDoor.$running.withValue(door) { try await function() }
    }

    static var current: TestDoor {
        get throws {
            guard let running else { throw NeverCameError("a suite with a shared door") }
            return running
        }
    }
}

extension Trait where Self == SharedDoor {
    static var sharedDoor: SharedDoor { SharedDoor() }
}

extension GatewayTests {
    /// Suites that share one door.
    @Suite("Web door", .sharedDoor)
    struct WebTests {}
}

/// The fixture of a suite about apps at the door.
class DoorSuite {
    let gateway: TestGateway
    let door: TestDoor

    init() throws { (gateway, door) = (try SharedGateway.current, try SharedDoor.current) }
}
