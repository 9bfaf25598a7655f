import Launch
import Foundation
import Glibc
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("A renewal of the tool that is killed", .ownThreads, .timeLimit(.minutes(20)))
struct KilledRenewalTests {
    private let couple: Couple
    private let directory: DeviceDirectory

    init() throws {
        couple = try Couple()
        try couple.makeKeys(of: "alice/phone")
        let phone = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
        directory = DeviceDirectory(of: phone, in: couple.gateway.directory)
    }

    /// How the tool comes to renew a token.
    enum Way: CaseIterable {
        /// A person asks for it.
        case request
        /// The token of a device that listens has lived two thirds of its life.
        case listen

        var arguments: [String] {
            switch self {
            case .request: ["request", "--as", "alice/phone", "devices/renew"]
            case .listen: ["listen", "--as", "alice/phone"]
            }
        }
    }

    /// When a run is killed.
    enum Moment {
        /// After this part of the time that a renewal takes.
        case part(Double)
        /// Once the new credentials are being written.
        case writing
        /// Once they are in the place of the old ones.
        case written
    }

    private static let moments: [Moment] =
        (0...20).map { .part(Double($0) / 16) } + [.writing, .written, .writing, .written]

    private var password: String { get throws { try directory.readCredentials().password } }

    /// What stands in the directory that a device could sign in with.
    private var credentialFiles: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
                name.contains("credentials.json") && !name.hasSuffix(".lock")
            }
        }
    }

    /// How `mosquitto_sub` signs in as the device.
    private var options: String {
        get throws { try String(contentsOfFile: directory.path + "/mosquitto_sub", encoding: .utf8) }
    }

    private func start(_ way: Way) throws -> ParleyTool.Run {
        let month: Int64 = 30 * 86_400_000
        // Kept so long ago that its time to be renewed has come, whatever the delay.
        try directory.store(try directory.readCredentials(), at: .now.advanced(byMilliseconds: -3 * month))
        return try couple.parley.start(way.arguments)
    }

    /// Waits until the run has kept another token, or has ended.
    private func awaitRenewal(_ former: String, by run: ParleyTool.Run) throws {
        while run.child.isRunning, try password == former { usleep(200) }
    }

    /// How long the tool takes from its start until it has kept a new token.
    private func measure(_ way: Way) throws -> Duration {
        let (former, began) = (try password, ContinuousClock.now)
        let run = try start(way)
        try awaitRenewal(former, by: run)
        let duration = ContinuousClock.now - began
        run.child.send(SIGTERM)
        _ = run.child.waitUntilEnded()
        try #require(try password != former, "\(run.errors)")
        return duration
    }

    @Test(
        "killed at any moment, by hand and by itself, the device signs in, with the one credentials file that it has",
        arguments: Way.allCases)
    func killed(way: Way) throws {
        let whole = try measure(way)
        var (kept, lost) = (0, 0)
        for moment in Self.moments {
            let former = try password
            let run = try start(way)
            switch moment {
            case .part(let part): usleep(UInt32(whole / .microseconds(1) * part))
            case .writing:
                let unfinished = directory.path + "/.credentials.json.new"
                while run.child.isRunning, unsafe access(unfinished, F_OK) != 0, isUnchanged(former) { sched_yield() }
            case .written: try awaitRenewal(former, by: run)
            }
            run.child.send(SIGKILL)
            _ = run.child.waitUntilEnded()

            let check = try couple.parley.run("request", "--as", "alice/phone", "devices/list")
            #expect(check.status == 0, "killed at \(moment): \(check.errors)")
            #expect(try credentialFiles == ["credentials.json"])
            #expect(try options.contains("-P \(try password)\n"), "the options of mosquitto_sub")
            if try password == former { lost += 1 } else { kept += 1 }
        }
        // Moments of both kinds were among them.
        #expect(kept > 0 && lost > 0, "\(kept) kept, \(lost) lost")
    }

    /// Looks at the file without reading it as the tool does, which would remove a half-written one.
    private func isUnchanged(_ password: String) -> Bool {
        (try? String(contentsOfFile: directory.credentialsPath, encoding: .utf8))?.contains(password) == true
    }
}
