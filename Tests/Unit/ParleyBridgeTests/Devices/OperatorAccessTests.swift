import Logging
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

@Suite("The operator's credentials in the data directory")
struct OperatorAccessTests {
    private let test: TestWriter
    private let place: TemporaryDirectory
    private let access: OperatorAccessDuty

    private static let day: Int64 = 86_400_000

    init() throws {
        (test, place) = (try TestWriter(), try TemporaryDirectory())
        access = OperatorAccessDuty(
            DataDirectory(path: place.path), logger: Logger(label: "test"), at: test.writer.moment(at(0)))
        let (credentials, _) = try test.writer.write(now: at(0), access.run)
        try access.save(credentials)
    }

    private var file: [UInt8] { get throws { try place.bytes("devices/operator/console/credentials.json") } }

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
