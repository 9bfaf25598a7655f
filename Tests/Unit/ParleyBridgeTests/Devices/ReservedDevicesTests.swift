import Logging
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("The credentials of the gateway's own devices in the data directory")
struct ReservedDevicesTests {
    private let test: TestWriter
    private let place: TemporaryDirectory
    private let access: ReservedDevicesDuty

    private static let day: Int64 = 86_400_000

    init() throws {
        (test, place) = (try TestWriter(), try TemporaryDirectory())
        access = ReservedDevicesDuty(
            DataDirectory(path: place.path), logger: Logger(label: "test"), at: test.writer.moment(at(0)))
        let (credentials, _) = try test.writer.write(now: at(0), access.run)
        try access.save(credentials)
    }

    private var file: [UInt8] { get throws { try place.bytes("devices/operator/console/credentials.json") } }

    @Test("a door has its own, of the role door, and its user is no person")
    func door() throws {
        let file = try place.bytes("devices/web/door/credentials.json")
        let credentials = try DeviceCredentials(members: try JSONObject(parsing: file))
        #expect(credentials.username == "web" && credentials.clientID == "web:door")
        let bytes = Array(credentials.password.utf8)
        let parsed = AccessToken(parsing: bytes.span)
        let token = try #require(parsed)
        #expect(token.claims.role == .door && token.claims.address == .webDoor)
        #expect(try test.store.read { try $0.users.role(of: "web") } == .door)
        #expect(try test.store.read { try $0.devices.device(.webDoor)?.role } == .door)
        #expect(try test.store.read { try $0.users.profile("web") } == nil)
    }

    @Test("where the door's user id is somebody's there is no door, and the operator works all the same")
    func taken() throws {
        let (test, place) = (try TestWriter(), try TemporaryDirectory())
        try test.addPeople(["web"])
        let access = ReservedDevicesDuty(
            DataDirectory(path: place.path), logger: Logger(label: "test"), at: test.writer.moment(at(0)))
        let (credentials, _) = try test.writer.write(now: at(0), access.run)
        #expect(Array(credentials.keys) == [.operatorConsole])
        #expect(try test.store.read { try $0.users.role(of: "web") } == .member)
    }

    @Test("they are renewed a week before they end, and are in the file once the broker's plugin is told of the token")
    func renewal() throws {
        let first = try file
        let (before, after) = (at(23 * Self.day - 1), at(23 * Self.day + 1))
        #expect(access.wait(at: test.writer.moment(before)) == .zero)
        #expect(test.writer.run(due: access, now: before).outgoing.isEmpty)
        #expect(access.wait(at: test.writer.moment(before)) == .seconds(3600))
        #expect(!test.writer.run(due: access, now: after.advanced(by: .seconds(3600))).outgoing.isEmpty)
        #expect(try file == first)
        #expect(access.wait(at: test.writer.moment(after.advanced(by: .seconds(3600)))) == .zero)
        #expect(test.writer.run(due: access, now: after.advanced(by: .seconds(3600))).outgoing.isEmpty)
        #expect(try file != first)
        #expect(access.wait(at: test.writer.moment(after.advanced(by: .seconds(3600)))) == .seconds(3600))
    }
}
