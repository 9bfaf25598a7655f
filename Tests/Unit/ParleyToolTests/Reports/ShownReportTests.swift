import ArgumentParser
import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

@testable import parley

@Suite("parley reports")
struct ShownReportTests {
    private static let contentKey = [UInt8](repeating: 5, count: 32)
    private static let header = MessageHeader(
        suite: .groupBox, conversation: .random(), id: .random(),
        sender: DeviceAddress(user: UserID(validated: "mallory"), device: DeviceID(validated: "phone")), type: .text)

    /// A message of mallory's, as the gateway has kept it.
    private static func message(
        _ content: String = #"{"text":"rude\u009b"}"#, in conversation: ConversationID = header.conversation,
        isGone: Bool = false
    ) throws -> [UInt8] {
        let nonce = [UInt8](repeating: 9, count: 24)
        let sealed = try XChaCha20Poly1305.seal(
            Array(content.utf8).span, nonce: nonce.span, additionalData: header.bytes.span, key: contentKey.span)
        let record = MessageRecord(
            id: header.id, conversation: conversation, epoch: "e", seq: 3, kind: .message, target: nil,
            sender: header.sender, type: .text, suite: .groupBox, content: isGone ? nil : sealed,
            nonce: isGone ? nil : nonce, recipientKeys: isGone ? nil : Array("[]".utf8), replyTo: nil, expiresAt: nil,
            createdAt: Timestamp(milliseconds: 1_768_467_600_000))
        var writer = JSONWriter()
        record.write(to: &writer)
        return writer.finish()
    }

    /// A message of an old app of mallory's.
    private static var oldMessage: [UInt8] {
        let record = MessageRecord(
            id: header.id, conversation: header.conversation, epoch: "e", seq: 3, kind: .message, target: nil,
            sender: header.sender, type: .text, suite: .legacyNaClBox, content: [UInt8](repeating: 1, count: 32),
            nonce: [UInt8](repeating: 9, count: 24), recipientKeys: nil, replyTo: nil, expiresAt: nil,
            createdAt: Timestamp(milliseconds: 1_768_467_600_000))
        var writer = JSONWriter()
        record.write(to: &writer)
        return writer.finish()
    }

    private static func report(
        _ message: [UInt8]?, evidence: String? = nil, reason: String = "rude\u{1B}]0;x\u{7}\nand more"
    ) -> Report {
        Report(
            id: .random(), reporter: UserID(validated: "alice"), reason: reason,
            user: UserID(validated: "mallory"), message: message, evidence: evidence.map { Array($0.utf8) },
            createdAt: Timestamp(milliseconds: 1_768_467_600_000))
    }

    private static let revealed = #"{"content_key":"\#(Base64.encode(contentKey))"}"#

    @Test("a revealed content key opens what was sent, and nothing else is taken for it")
    func opening() throws {
        let cases: [(Report, String)] = [
            (Self.report(try Self.message(), evidence: Self.revealed), "opened"),
            (Self.report(try Self.message(in: .random()), evidence: Self.revealed), "not_authentic"),
            (Self.report(try Self.message(isGone: true), evidence: Self.revealed), "gone"),
            (Self.report(nil, evidence: Self.revealed), "no_message"),
            (Self.report(try Self.message()), "no_content_key"),
            (Self.report(try Self.message(), evidence: #"{"content_key":"AAAA"}"#), "no_content_key"),
            (Self.report(try Self.message(), evidence: "[1]"), "no_content_key"),
            (
                Self.report(
                    try Self.message(),
                    evidence: #"{"content_key":"\#(Base64.encode([UInt8](repeating: 6, count: 32)))"}"#),
                "not_authentic"
            ),
            (Self.report(Array("{}".utf8), evidence: Self.revealed), "malformed"),
            (Self.report(Self.oldMessage, evidence: Self.revealed), "not_bound"),
            (Self.report(Self.oldMessage), "not_bound"),
        ]
        for (report, expected) in cases {
            let opening = ReportOpening(report)
            let line = try JSONObject(parsing: ShownReport(report, opening: opening).json)
            #expect(try line.text("verified", maximum: 64) == expected)
            #expect(opening.isOpened == (expected == "opened"))
            #expect(line.has("content") == opening.isOpened)
        }
    }

    @Test("nothing that people wrote moves the cursor, in no form, and JSON keeps its meaning")
    func printable() throws {
        let evidence = "{\n\t\"said\": \"\u{9B}2J\u{202E}\\u001b[1m\",\r\n \"n\": 1.50}"
        let report = Self.report(try Self.message(), evidence: evidence)
        let shown = ShownReport(report, opening: ReportOpening(report))
        var table = Table(headings: ShownReport.headings(withOpening: true))
        table.add(shown.row)
        let json = String(decoding: shown.json, as: UTF8.self).printableJSON
        for line in shown.lines + table.lines + [json] {
            for scalar in line.unicodeScalars {
                #expect(scalar.value >= 0x20 && !(0x7F...0x9F ~= scalar.value) && scalar.value != 0x202E)
            }
        }
        let object = try JSONObject(parsing: Array(json.utf8))
        #expect(try object.text("reason", maximum: 100) == report.reason)
        let said = try object.object("evidence")?.text("said", maximum: 100)
        #expect(said == "\u{9B}2J\u{202E}\u{1B}[1m")
    }

    @Test("a table has as many cells as headings, and a long reason is cut")
    func rows() throws {
        let report = Self.report(nil, reason: String(repeating: "long ", count: 200))
        for opening in [nil, ReportOpening(report)] {
            let row = ShownReport(report, opening: opening).row
            #expect(row.count == ShownReport.headings(withOpening: opening != nil).count)
            #expect(row.last?.hasSuffix("…") == true && (row.last?.count ?? 0) < 70)
        }
    }

    @Test(
        "wrong arguments are refused",
        arguments: [["reports", "--limit", "0"], ["reports", "--id", "x"], ["reports", "extra"]])
    func arguments(arguments: [String]) {
        #expect(throws: (any Error).self) { try Parley.parseAsRoot(arguments) }
    }
}
