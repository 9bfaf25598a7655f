import MemoryTransport
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("Pushes to a device that is connected", .seeded, .timeLimit(.minutes(20)))
struct PushClientTests {
    private func notification(
        _ type: PushType, to device: DeviceAddress, _ record: MessageRecord? = nil,
        subject: NotificationSubject = NotificationSubject(), epoch: String? = nil
    ) -> PushNotification {
        var subject = subject
        if let record {
            (subject.conversation, subject.seq, subject.message) = (record.conversation, record.seq, record.id)
        }
        return PushNotification(
            id: .random(), type: .known(type), user: device.user, device: nil, subject: subject,
            epoch: record?.epoch ?? epoch,
            badge: .counted(3), badgeAt: .now, createdAt: .now,
            expiresAt: Timestamp.now.advanced(byMilliseconds: 3_600_000), message: record)
    }

    @Test("a message that is pushed on the topic is emitted opened, also where its sender was never heard of")
    func message() async throws {
        let device = try MemoryDevice()
        let carol = UserID(validated: "carol")
        try device.broker.add(carol)
        try await device.chat { client, _, events in
            for (user, text) in [(device.bob, "from bob"), (carol, "from carol")] {
                let record = try device.broker.write(text, by: user, to: device.address)
                device.broker.push(notification(.message, to: device.address, record))
                let push = try await events.push()
                guard case .message(let pushed) = push.content else { throw UnexpectedError(push.content) }
                #expect(pushed.sender.user == user && pushed.isSenderVerified == false)
                let message = pushed.message.content
                guard case .opened(let content) = message else { throw UnexpectedError(message) }
                #expect(content.value == .text(text))
                #expect(push.link == .conversation(record.conversation) && push.badge?.count == 3)
            }
        }
    }

    @Test("what comes into the feed is an event of the feed and a push, a message is none of the feed's")
    func feed() async throws {
        let device = try MemoryDevice()
        try await device.chat { _, _, events in
            let record = try device.broker.write("Hello", by: device.bob, to: device.address)
            let sent = [
                notification(.message, to: device.address, record), notification(.digest, to: device.address),
                notification(.feed(.messageRequest), to: device.address),
            ]
            for push in sent { device.broker.push(push) }
            var (feed, pushes): ([NotificationID], [NotificationID]) = ([], [])
            while pushes.count < sent.count {
                switch try await events.next() {
                case .gateway(let notification as FeedNotification): feed.append(notification.id)
                case .push(let push): pushes.append(push.id)
                default: break
                }
            }
            #expect(feed == [sent[2].id] && pushes == sent.map(\.id))
        }
    }

    @Test("that messages were read is said with the conversation")
    func cleared() async throws {
        let device = try MemoryDevice()
        try await device.chat { _, chat, events in
            let cleared = NotificationsCleared(
                ids: [], conversation: chat, seq: 4, unreadCount: 0, badge: .counted(0), at: .now)
            device.broker.publish(to: device.address.user) { cleared.writeEvent(to: &$0) }
            while true {
                guard case .gateway(let heard as NotificationsCleared) = try await events.next() else { continue }
                #expect(heard == cleared)
                break
            }
        }
    }

    @Test("more pushes at once than wait are all emitted")
    func many() async throws {
        let device = try MemoryDevice()
        try await device.chat { _, _, events in
            var expected: Set<NotificationID> = []
            for _ in 0..<300 {
                let push = notification(.test, to: device.address)
                expected.insert(push.id)
                device.broker.push(push)
            }
            while !expected.isEmpty { expected.remove(try await events.push().id) }
        }
    }

    @Test("a client opens payloads by what it has, and refuses what is none")
    func open() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, chat, events in
            let record = try device.broker.write("Hello", by: device.bob, to: device.address)
            device.broker.deliver(record)
            _ = try await events.texts(of: device.bob, until: "Hello")
            let push = notification(
                .message, to: device.address, subject: NotificationSubject(conversation: chat, seq: record.seq),
                epoch: record.epoch)
            let opened = try await client.push.open(push: push.json(fitting: .max))
            guard case .message(let pushed) = opened.content else { throw UnexpectedError(opened.content) }
            #expect(pushed.message.id == record.id && pushed.isRead == false)
            try await client.markRead(chat, upTo: record.id)
            let again = try await client.push.open(push: push.json(fitting: .max))
            guard case .message(let read) = again.content else { throw UnexpectedError(again.content) }
            #expect(read.isRead)
            await #expect(throws: PushError.self) { try await client.push.open(push: [1, 2, 3]) }
        }
    }

    @Test("an urgent message is sent as such, also after the queue was kept, and no other is")
    func urgent() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, chat, _ in
            device.broker.dropConnections()
            let urgent = try await client.send(.text("now"), to: chat, isUrgent: true)
            let other = try await client.send(.text("later"), to: chat)
            for id in [urgent, other] { _ = try await client.outcome(of: id) }
            #expect(device.broker.urgent == [urgent])
        }
    }

    @Test("a registration is asked for at once, and what the gateway says of it comes to the caller")
    func registering() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, _, _ in
            let endpoint = try #require(WebURL("https://push.example.org/alice"))
            let target = PushTarget.webhook(endpoint, secret: "0123456789abcdef")
            let time = try await client.push.register(target)
            #expect(device.broker.pushTargets == [device.address: target])
            #expect(time <= .now)
            device.broker.refusePushes(Rejection(.badRequest, "no"))
            let refusal = await #expect(throws: ClientError.self) { try await client.push.register(target) }
            guard case .refused(let rejection)? = refusal else { throw UnexpectedError(refusal) }
            #expect(rejection.code == .badRequest)
            device.broker.refusePushes(nil)
            try await client.push.unregister()
            #expect(device.broker.pushTargets.isEmpty)
            // Nothing is done by itself on the next connection.
            let asked = device.broker.requests.count { $0 == RegisterPush.operation }
            device.broker.dropConnections()
            try await client.ready(timeout: .seconds(60))
            #expect(device.broker.requests.count { $0 == RegisterPush.operation } == asked)
        }
    }
}

extension ClientEvents {
    mutating func push() async throws -> OpenedPush {
        while true {
            if case .push(let push) = try await next() { return push }
        }
    }
}
