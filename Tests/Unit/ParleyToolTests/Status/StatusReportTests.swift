import ParleyProtocol
import TestNames
import Testing

@testable import parley

@Suite("parley status")
struct StatusReportTests {
    private static let console = OperatingCredential(
        device: .operatorConsole, expiresAt: at(0).advanced(by: .days(20)))

    private static func answer(
        version: String = parleyVersion, serverTime: Timestamp = at(0), unpublished: Int = 0, waitingReads: Int = 0,
        waitingPushes: Int = 0, areWritesFailing: Bool = false, database: Int? = 35_000_000, log: Int? = 4_000_000,
        free: Int? = 12_000_000_000, credentials: [OperatingCredential] = [console]
    ) -> OperatingStatus {
        OperatingStatus(
            version: version, schema: "021", broker: "mosquitto version 2.0.11", cell: nil,
            startedAt: at(0).advanced(by: .days(-3)), serverTime: serverTime,
            work: OperatingWork(
                unpublished: unpublished, unpublishedLimit: 8192, waitingReads: waitingReads, waitingReadsLimit: 256,
                waitingPushes: waitingPushes, areWritesFailing: areWritesFailing), connections: 12, connectedUsers: 5,
            users: 104, devices: 211,
            storage: OperatingStorage(database: database, log: log, pushes: 20_000, free: free),
            credentials: credentials)
    }

    private static func report(
        _ answer: OperatingStatus? = answer(), failure: String? = nil, _ change: (inout StatusFiles) -> Void = { _ in }
    ) -> StatusReport {
        var files = StatusFiles(databaseBytes: 1, logBytes: 1, freeBytes: 12_000_000_000)
        change(&files)
        return StatusReport(
            directory: "/data", answer: answer, failure: failure, files: files, ownVersion: parleyVersion, now: at(0))
    }

    @Test("where all is well it says so in short lines, and as JSON")
    func well() throws {
        let report = Self.report {
            $0.lastBackup = at(0).advanced(by: .days(-1))
            $0.certificate = CertificateState(file: "/etc/c.pem", endsAt: at(0).advanced(by: .days(90)))
        }
        #expect(report.status == .accepted)
        #expect(
            report.lines(in: .utc) == [
                "gateway      \(parleyVersion), schema 021, mosquitto version 2.0.11, of /data",
                "up since     2026-01-12 09:00:00, 3 d 0 h",
                "waiting      0 for the broker, 0 reads, 0 notifications",
                "connected    12 connections, 5 people", "users        104, with 211 devices",
                "token        operator/console until 2026-02-04 09:00:00",
                "database     35 MB, its log 4.0 MB", "free         12 GB where it lies",
                "certificate  /etc/c.pem until 2026-04-15 09:00:00", "last backup  2026-01-14 09:00:00",
                "wrong        nothing",
            ])
        let json = String(decoding: report.json, as: UTF8.self)
        #expect(json.hasPrefix(#"{"data":"/data","answers":true,"version":""#))
        #expect(json.hasSuffix(#""last_backup_at":"2026-01-14T09:00:00.000Z","wrong":[]}"#))
        #expect(try OperatingStatus(json: report.answer?.json ?? []) == report.answer)
    }

    private static let wrong: [(StatusReport, String)] = [
        (report(answer(version: "0.0.9")), "parleyd is 0.0.9 and this program is \(parleyVersion): restart"),
        (report(answer(serverTime: at(.seconds(61)))), "differ by 1 min"),
        (report(answer(serverTime: at(.seconds(-61)))), "differ by 1 min"),
        (report(answer(unpublished: 6144)), "6144 events and replies wait for the broker"),
        (report(answer(waitingReads: 192)), "192 reads wait"),
        (report(answer(waitingPushes: 10_001)), "10001 notifications wait"),
        (report(answer(areWritesFailing: true)), "could not be written"),
        (report(answer(free: 500_000_000)), "only 500 MB free where the database lies"),
        (report(answer(database: 13_000_000_000)), "only 12 GB free beside a database of 13 GB"),
        (report(answer(log: 600_000_000)), "log has grown to 600 MB"),
        (
            report(answer(credentials: [OperatingCredential(device: .operatorConsole, expiresAt: at(.seconds(7200)))])),
            "operator/console ends in 2 h 0 min: parleyd should have renewed it"
        ),
        (
            report(
                answer(credentials: [
                    OperatingCredential(
                        device: DeviceAddress(user: "operator", device: "office"), expiresAt: at(.seconds(-1)))
                ])), "operator/office has ended: a new one is made by parley device renew-token operator office"
        ),
        (
            report { $0.certificate = CertificateState(file: "/c.pem", endsAt: at(.seconds(-1))) },
            "the certificate in /c.pem has ended"
        ),
        (
            report { $0.certificate = CertificateState(file: "/c.pem", endsAt: at(.seconds(86_400))) },
            "the certificate in /c.pem ends in 1 d 0 h: renew it"
        ), (report { $0.lastBackup = at(0).advanced(by: .days(-3)) }, "the last backup is 3 d 0 h old"),
    ]

    @Test("each thing that is wrong is one sentence, and status 1", arguments: wrong.indices)
    func sentences(index: Int) {
        let (report, sentence) = Self.wrong[index]
        #expect(report.status == .rejected)
        #expect(report.wrong.count == 1 && report.wrong.first?.contains(sentence) == true, "\(report.wrong)")
    }

    @Test("just inside of a bound nothing is wrong")
    func inside() {
        #expect(
            Self.report(
                Self.answer(
                    serverTime: at(.seconds(60)), unpublished: 6143, waitingReads: 191, waitingPushes: 10_000,
                    log: StatusRules.mostLogBytes, free: StatusRules.leastFreeBytes)
            ).wrong == [])
    }

    @Test("without an answer it is status 3, with what the files show")
    func noAnswer() {
        let report = Self.report(nil, failure: "it does not run") {
            $0.certificate = CertificateState(
                file: "/c.pem", endsAt: nil, fault: "Permission denied")
        }
        #expect(report.status == .noAnswer)
        #expect(
            report.lines(in: .utc) == [
                "gateway      does not answer, of /data", "database     1 byte, its log 1 byte",
                "free         12 GB where it lies", "certificate  /c.pem (Permission denied)",
                "wrong        it does not run",
            ])
        #expect(
            String(decoding: report.json, as: UTF8.self).hasPrefix(
                #"{"data":"/data","answers":false,"database_bytes":1"#))
    }
}
