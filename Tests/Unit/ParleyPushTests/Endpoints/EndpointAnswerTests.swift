import ParleyProtocol
import TestNames
import Testing

@testable import ParleyPush

@Suite("Answers of endpoints")
struct EndpointAnswerTests {
    @Test(
        "an answer is read by its status: what it means at a webhook, at Web Push, and for the service",
        arguments: [
            (200, "accepted", "accepted", .works), (202, "accepted", "accepted", .works),
            (299, "accepted", "refused", .works), (410, "ended", "ended", .works), (404, "refused", "ended", .works),
            (301, "refused", "refused", .works), (400, "refused", "refused", .works),
            (413, "refused", "refused", .works), (700, "refused", "refused", .works),
            // Of one person's endpoint: others at the same host do not wait for it.
            (408, "later", "later", .works), (425, "later", "later", .works), (429, "later", "later", .works),
            (500, "later", "later", .fails), (599, "later", "later", .fails),
        ] as [(Int, String, String, ServiceHealth)])
    func byStatus(status: Int, webhook: String, webPush: String, health: ServiceHealth) {
        let problem = PushProblem(status: status, "HTTP \(status)")
        let answers: [String: PushAnswer] = [
            "accepted": .accepted(status: status), "ended": .ended(status: status, since: nil),
            "refused": .refused(problem), "later": .later(problem, after: .seconds(30)),
        ]
        let reply = PushReply(status: status, retryAfter: "30")
        for (read, expected) in [
            (WebhookService.read(reply, now: at(0)), webhook), (WebPushService.read(reply, now: at(0)), webPush),
        ] {
            #expect(read.answer == answers[expected] && read.health == health)
        }
    }
}
