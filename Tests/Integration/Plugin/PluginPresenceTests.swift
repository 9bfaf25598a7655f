import ParleyProtocol
import Testing

extension PluginTests {
    /// A broker whose plugin has the facts, the gateway's `out`, and its `intake`, which has had the first, empty set.
    private func reportingBroker() throws -> (broker: PluginBroker, out: WireClient, intake: WireClient) {
        let (broker, out) = try readyBroker()
        let intake = try broker.gateway(.intake)
        #expect(try intake.nextSet() == [])
        return (broker, out, intake)
    }

    @Test("the gateway is told of users, not of their devices: the first that comes and the last that goes")
    func presence() throws {
        let (broker, _, intake) = try reportingBroker()
        let phone = try alice.signIn(to: broker)
        #expect(try intake.nextReports() == [.online(alice.address.user)])
        let tool = try alice.signIn(to: broker, connection: "cli", version: .v311)
        try phone.disconnect()
        _ = try console.signIn(to: broker)
        #expect(try eve.connect(to: broker, connection: "x", clean: false).code == 0x87)
        let bobs = try bob.signIn(to: broker)
        // Nothing was said of what came before them.
        #expect(try intake.nextReports() == [.online(bob.address.user)])
        tool.close()
        #expect(try intake.nextReports() == [.offline(alice.address.user)])
        bobs.close()
        #expect(try intake.nextReports() == [.offline(bob.address.user)])
    }

    @Test("who is taken over, and taken over again, stays; and goes when the last has gone", arguments: [false, true])
    func presenceTakenOver(isDurable: Bool) throws {
        let (broker, _, intake) = try reportingBroker()
        var clients: [WireClient] = []
        for _ in 0..<5 {
            clients.append(
                try alice.signIn(to: broker, clean: !isDurable, sessionExpiry: isDurable ? 600 : 0))
        }
        _ = try clients[3].waitUntilClosed()
        #expect(try intake.nextReports() == [.online(alice.address.user)])
        let bobs = try bob.signIn(to: broker)
        #expect(try intake.nextReports() == [.online(bob.address.user)])
        clients[4].close()
        #expect(try intake.nextReports() == [.offline(alice.address.user)])
        try bobs.disconnect(withWill: true)
        #expect(try intake.nextReports() == [.offline(bob.address.user)])
    }

    @Test("whom the broker refuses after their token was good does not stay online")
    func presenceRefusedLate() throws {
        let (broker, _, intake) = try reportingBroker()
        let client = try broker.client()
        let code = try client.connect(
            alice.clientID, username: alice.user, password: broker.token(alice.claims), method: "SCRAM-SHA-256")
        #expect(code == 0x8C)
        let bobs = try bob.signIn(to: broker)
        defer { bobs.close() }
        var there: Set<UserID> = []
        while !there.contains(bob.address.user) {
            for report in try intake.nextReports() {
                switch report {
                case .online(let user): there.insert(user)
                case .offline(let user, _): there.remove(user)
                case .begin, .everyone, .end: Issue.record("\(report)")
                }
            }
        }
        #expect(there == [bob.address.user])
    }

    @Test("whom the gateway ends is gone: a revoked device, a token made anew, a snapshot without them")
    func presenceEnded() throws {
        let (broker, out, intake) = try reportingBroker()
        let clients = [try alice.signIn(to: broker), try bob.signIn(to: broker)]
        defer { for client in clients { client.close() } }
        #expect(try intake.nextReports() == [.online(alice.address.user)])
        #expect(try intake.nextReports() == [.online(bob.address.user)])
        try out.tell([.deviceEnded(alice.address)])
        #expect(try intake.nextReports() == [.offline(alice.address.user)])
        #expect(try out.snapshot([eve.change()], version: 2) == .ready(version: 2))
        #expect(try intake.nextSet() == [])
        let eves = try eve.signIn(to: broker)
        defer { eves.close() }
        #expect(try intake.nextReports() == [.online(eve.address.user)])
    }

    @Test("an intake that was away is told of everybody")
    func presenceAway() throws {
        let (broker, out, intake) = try reportingBroker()
        let phone = try alice.signIn(to: broker)
        #expect(try intake.nextReports() == [.online(alice.address.user)])
        intake.close()
        try phone.disconnect()
        let bobs = try bob.signIn(to: broker)
        defer { bobs.close() }
        let again = try broker.gateway(.intake)
        #expect(try again.nextSet() == [bob.address.user])
        let eves = try eve.signIn(to: broker)
        defer { eves.close() }
        #expect(try again.nextReports() == [.online(eve.address.user)])
        // A snapshot is followed by everybody too.
        #expect(try out.snapshot(facts, version: 2) == .ready(version: 2))
        #expect(try again.nextSet() == [bob.address.user, eve.address.user])
    }

    @Test("another run of the broker has another name")
    func presenceRuns() throws {
        let (broker, _, intake) = try reportingBroker()
        intake.close()
        let first = try broker.gateway(.intake).nextReports().first
        broker.stop()
        try broker.start()
        let out = try broker.gateway()
        let second = try broker.gateway(.intake)
        #expect(try out.snapshot(facts) == .ready(version: 1))
        let begin = try second.nextReports().first
        guard case .begin(let one, 0)? = first, case .begin(let other, 0)? = begin else {
            Issue.record("\(String(describing: first)), \(String(describing: begin))")
            return
        }
        #expect(one != other)
    }

    @Test("whoever has blocked the other hears what they do themselves: live, stored, and when the block ends")
    func silence() throws {
        let (broker, out) = try readyBroker()
        func change(_ silences: [Silence]) -> AudienceChange {
            .conversation(conversation, members: [alice.address.user, bob.address.user], silences: silences)
        }
        func deletion(_ seq: Int, by user: String) -> String {
            #"{"type":"message.deleted","data":{"seq":\#(seq),"sender_id":"\#(user)"}}"#
        }
        func seqs(_ messages: [[UInt8]]) -> [Int] {
            messages.compactMap { EventOrigin(of: $0.span).seq.map(Int.init) }
        }
        let alices = try alice.signIn(to: broker)
        let bobs = try bob.signIn(to: broker)
        for live in [alices, bobs] { #expect(try live.subscribe(topic) == 1) }
        let tablets = [TestDevice("alice", "tablet"), TestDevice("bob", "tablet")]
        try out.tell(tablets.map { $0.change() })
        let stored = try tablets.map { try $0.signIn(to: broker, clean: false, sessionExpiry: 600) }
        for session in stored {
            #expect(try session.subscribe(topic) == 1)
            try session.disconnect()
        }
        try out.publish(topic, deletion(1, by: "bob"))
        try out.tell([change([Silence(of: alice.address.user)])])
        for (seq, user) in [(2, "bob"), (3, "alice")] { try out.publish(topic, deletion(seq, by: user)) }
        #expect(seqs(try alices.drain().map(\.payload)) == [1, 3])
        #expect(seqs(try bobs.drain().map(\.payload)) == [1, 2, 3])
        for live in [alices, bobs] {
            #expect(try live.subscribe(topic) == 1)
            #expect(try live.subscribe("parley/v1/conversations/\(conversation)/#") == 1)
        }
        #expect(try eve.signIn(to: broker).subscribe(topic) == 0x87)
        // Queued messages are judged when they are delivered.
        let back = try tablets.map { try $0.signIn(to: broker, clean: false, sessionExpiry: 600) }
        #expect(seqs(try back[0].drain().map(\.payload)) == [3])
        #expect(seqs(try back[1].drain().map(\.payload)) == [1, 2, 3])
        // The block has ended, and a record that was written under it is published again.
        try out.tell([change([Silence(of: alice.address.user, through: 4)])])
        for (seq, user) in [(4, "bob"), (5, "bob")] { try out.publish(topic, deletion(seq, by: user)) }
        #expect(seqs(try back[0].drain().map(\.payload)) == [5])
        #expect(seqs(try back[1].drain().map(\.payload)) == [4, 5])
    }

    @Test("friends hear presence and activity and nothing else of each other; when they part, nothing and at once")
    func friends() throws {
        let (broker, out) = try readyBroker()
        let client = try alice.signIn(to: broker)
        let presence = "parley/v1/users/bob/presence"
        try out.publish(presence, "retained", retain: true)
        #expect(try client.subscribe(presence) == 0x87)
        try out.tell([.friends(bob.address.user, alice.address.user)])
        #expect(try client.subscribe(presence) == 1)
        #expect(try client.subscribe("parley/v1/users/bob/activity") == 1)
        for rest in ["events", "notifications", "+", "#", "presence/#"] {
            #expect(try client.subscribe("parley/v1/users/bob/\(rest)") == 0x87, "\(rest)")
        }
        try out.publish(presence, "now", retain: true)
        #expect(try client.drain().map(\.payload) == [Array("retained".utf8), Array("now".utf8)])
        try out.tell([.friendsEnded(alice.address.user, bob.address.user)])
        try out.publish(presence, "later", retain: true)
        #expect(try client.drain().isEmpty)
        #expect(try client.subscribe(presence) == 0x87)
        #expect(try client.subscribe("parley/v1/users/nobody/presence") == 0x87)
    }
}

extension WireClient {
    /// As the intake: waits for the next message of reports. Without how long ago somebody has left.
    fileprivate func nextReports() throws -> [PresenceReport] {
        while true {
            let message = try nextMessage()
            guard message.topic == PresenceReport.topic else { continue }
            return (PresenceCodec.reports(in: message.payload) ?? []).map { report in
                if case .offline(let user, _) = report { .offline(user) } else { report }
            }
        }
    }

    /// As the intake: waits for the next whole set. Before it may come what the broker had sent when it did not know
    /// yet that an intake before this one was gone.
    fileprivate func nextSet() throws -> Set<UserID>? {
        while true {
            let reports = try nextReports()
            guard case .begin(_, let count)? = reports.first, reports.last == .end else { continue }
            let users = reports.flatMap { report in
                if case .everyone(let users) = report { users } else { [UserID]() }
            }
            return users.count == Int(count) ? Set(users) : nil
        }
    }
}
