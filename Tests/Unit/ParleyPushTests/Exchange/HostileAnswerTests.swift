import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

@Suite("Answers that are not what they should be", .ownThreads)
struct HostileAnswerTests {
    @Test(
        "whatever bytes an answer has, it is read, and what is passed on of them is printable", .seeded,
        arguments: 0..<40)
    func bytes(_ stream: Int) {
        var random = Seeded(stream: UInt64(stream))
        let start =
            #"{"error":{"status":"X","details":[{"errorCode":"Y"}]},"reason":"Z","timestamp":17,"#
            + #""access_token":"t","expires_in":60}"#
        for _ in 0..<200 {
            var body = Array(start.utf8)
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let place = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: body[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: body.remove(at: place)
                default: body.insert(contentsOf: body[..<place].suffix(9), at: place)
                }
            }
            let header = Bool.random(using: &random) ? String(decoding: body.prefix(20), as: UTF8.self) : nil
            let reply = PushReply(
                status: Int.random(in: 100...999, using: &random), retryAfter: header, body: body)
            for provider in PushProviders.all { check(provider.read(reply, now: at(0)), reply.status) }
            _ = FCMTokens.read(reply, asked: .now, now: at(0))
        }
    }

    private func check(_ answer: ServiceAnswer, _ status: Int) {
        switch answer.answer {
        case .accepted: #expect((200...299).contains(status))
        case .ended: #expect([400, 403, 404, 410].contains(status))
        case .refused(let problem), .later(let problem, _):
            #expect(problem.description.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            #expect(problem.status == status)
            #expect(!problem.isUncertain)
        case .notTried: Issue.record("an answer that is none")
        }
        if case .later(_, let after?) = answer.answer { #expect((.zero ... .seconds(86_400)).contains(after)) }
    }
}
