import HTTPDoubles
import Logging
import OpenSSL
import ParleyProtocol
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

func notificationID(_ number: UInt64) -> NotificationID { NotificationID(UUIDValue(high: 0x0192, low: number)) }

let conversation = ConversationID(UUIDValue(high: 0x7f31, low: 42))

func record(contentBytes: Int) -> MessageRecord {
    MessageRecord(
        id: MessageID(UUIDValue(high: 1, low: 2)), conversation: conversation, epoch: "k3Jx9w", seq: 42, kind: .message,
        target: nil, sender: device("alice", "phone"), type: .text, suite: .groupBox,
        content: [UInt8](repeating: 0xA5, count: contentBytes), nonce: [UInt8](repeating: 7, count: 24),
        recipientKeys: nil, replyTo: nil, expiresAt: nil, createdAt: at(0))
}

func notification(
    _ type: PushType = .message, number: UInt64 = 1, message: MessageRecord? = record(contentBytes: 200)
) -> PushNotification {
    PushNotification(
        id: notificationID(number), type: .known(type), user: "bob", device: "phone",
        subject: NotificationSubject(conversation: conversation, seq: 42), epoch: "k3Jx9w", badge: .counted(3),
        badgeAt: at(0), createdAt: at(0), expiresAt: at(.seconds(3600)), message: message)
}

func delivery(
    to target: PushTarget, _ type: PushType = .message, number: UInt64 = 1, isUrgent: Bool = false,
    collapse: ConversationID? = conversation, message: MessageRecord? = record(contentBytes: 200)
) -> PushDelivery {
    PushDelivery(
        registration: Int64(number), target: target, notification: notification(type, number: number, message: message),
        collapse: collapse, isUrgent: isUrgent, now: at(0))
}

func webhook(_ url: String) throws -> PushTarget {
    .webhook(try #require(WebURL(url)), secret: "0123456789abcdef")
}

/// A subscription, and the key that opens what it gets.
func subscription(_ url: String) throws -> (PushTarget, P256.PrivateKey) {
    let key = try P256.PrivateKey.generate()
    let target = PushTarget.webPush(
        try #require(WebURL(url)), p256dh: key.publicKey.bytes,
        auth: [UInt8](repeating: 9, count: 16))
    return (target, key)
}

func configuration(
    _ values: [String: String] = [:], allowsPrivate: Bool = true, request: Duration = .seconds(30),
    limits: PushLimits = PushLimits()
) throws -> PushConfiguration {
    let values = values.merging(["vapid_subject": "mailto:push@example.com"]) { given, _ in given }
    return PushConfiguration(
        values: values.mapValues { Array($0.utf8) }, vapid: try VAPIDKey(privateKey: VAPIDKey.makePrivateKey()),
        allowsPrivateEndpoints: allowsPrivate, trustRoots: [Array(TestKeys.certificate.utf8)],
        timeouts: PushTimeouts(connect: .seconds(20), request: request, lookup: .seconds(20)), limits: limits)
}

/// What a sender has reported.
final class Outcomes: Sendable {
    private let list = Mutex<[PushOutcome]>([])

    var all: [PushOutcome] { list.withLock { $0 } }

    func append(_ outcome: PushOutcome) { list.withLock { $0.append(outcome) } }

    func count(_ number: Int) async throws -> [PushOutcome] {
        try await waiting(for: "\(number) outcomes") { all.count >= number }
        return all
    }
}

/// Runs a sender for as long as `body` goes on.
func withSender(
    _ configuration: PushConfiguration, lookup: @escaping HostLookups.Lookup = HostLookup.addresses,
    _ body: (PushSender, Outcomes) async throws -> Void
) async throws {
    let outcomes = Outcomes()
    let sender = try PushSender(configuration, logger: Logger(label: "push"), lookup: lookup) { outcomes.append($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await sender.run() }
        defer { group.cancelAll() }
        try await body(sender, outcomes)
    }
}

/// The answers to deliveries that are sent one after the other.
func answers(
    to deliveries: [PushDelivery], _ configuration: PushConfiguration,
    lookup: @escaping HostLookups.Lookup = HostLookup.addresses
) async throws -> [PushAnswer] {
    var answers: [PushAnswer] = []
    try await withSender(configuration, lookup: lookup) { sender, outcomes in
        for delivery in deliveries {
            sender.submit([delivery])
            answers.append(try #require(try await outcomes.count(answers.count + 1).last).answer)
        }
    }
    return answers
}

func answer(
    to delivery: PushDelivery, _ configuration: PushConfiguration,
    lookup: @escaping HostLookups.Lookup = HostLookup.addresses
) async throws -> PushAnswer {
    try #require(try await answers(to: [delivery], configuration, lookup: lookup).first)
}
