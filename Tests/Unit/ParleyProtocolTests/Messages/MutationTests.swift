import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// What of a payload was hit decides how far it comes: a digit that became another is taken, most else is refused.
@Suite("Mutated payloads", .seeded)
struct MutationTests {
    static let mutationsEach = 15_000

    @Test("no mutated messages/send traps, and one that is taken means to Foundation the same", arguments: 0..<4)
    func send(stream: UInt64) throws {
        var generator = Seeded(stream: 40 + stream)
        var taken = 0
        for round in 0..<Self.mutationsEach {
            // A small message, so that its structure is hit more often than its content.
            let message = SendMessage(
                id: generator.uuid(), conversation: generator.uuid(), type: .text, suite: .x25519AESGCM,
                content: generator.bytes(16...20), nonce: generator.bytes(count: 12),
                recipientKeys: round % 4 == 0 ? try generator.recipientKeys(0...1) : nil,
                replyTo: round % 2 == 0 ? generator.uuid() : nil, expiresIn: round % 3 == 0 ? 3600 : nil,
                echoIsReply: round % 2 == 1)
            var bytes = message.payload(requestID: "r/\u{E9}")
            generator.mutate(&bytes)
            guard let object = try? JSONObject(parsing: bytes) else { continue }
            guard (try? object.requestID()) != nil, let read = try? SendMessage(members: object) else { continue }
            taken += 1
            let text = String(decoding: bytes, as: UTF8.self)
            let view = try #require(try? JSONDecoder().decode(SendView.self, from: Data(bytes)), "\(text)")
            #expect(view.isSame(as: read), "\(text)")
        }
        #expect(taken > Self.mutationsEach / 100)
    }

    @Test("no mutated history/get traps, and one that is taken means to Foundation the same", arguments: 0..<4)
    func history(stream: UInt64) throws {
        var generator = Seeded(stream: 50 + stream)
        var taken = 0
        for _ in 0..<Self.mutationsEach {
            var bytes = Array(try JSONEncoder().encode(HistoryView(try generator.history())))
            generator.mutate(&bytes)
            guard let object = try? JSONObject(parsing: bytes), let read = try? GetHistory(members: object) else {
                continue
            }
            taken += 1
            let text = String(decoding: bytes, as: UTF8.self)
            let view = try #require(try? JSONDecoder().decode(HistoryView.self, from: Data(bytes)), "\(text)")
            #expect(view.isSame(as: read), "\(text)")
        }
        #expect(taken > Self.mutationsEach / 100)
    }

    @Test(
        "random bytes and mutated requests of every kind are answered and never trap", arguments: OperationTable.all)
    func everyKind(kind: any Request.Type) throws {
        var generator = Seeded(stream: 60)
        let fields = RequestField.of(kind)
        for round in 0..<1_000 {
            let members = try fields.map { field in
                let bad = field.form.bad.map(\.json).filter { $0.utf8.count < 500 }
                let good = field.form.good.filter { $0.utf8.count < 500 }
                let json = try generator.element(generator.chance(0.5) || bad.isEmpty ? good : bad)
                return #""\#(field.name)":\#(json)"#
            }
            var bytes = Array("{\(members.joined(separator: ","))}".utf8)
            if round % 2 == 0 { generator.mutate(&bytes) }
            if round % 10 == 0 { bytes = generator.bytes(0...64) }
            guard let object = try? JSONObject(parsing: bytes) else { continue }
            do throws(Rejection) {
                _ = try kind.init(members: object)
            } catch {
                #expect([.badRequest, .tooLarge, .groupFull, .inviteInvalid].contains(error.code))
            }
        }
    }
}
