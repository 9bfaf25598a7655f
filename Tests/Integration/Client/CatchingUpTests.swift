import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests {
    @Suite("Clients that were away", .timeLimit(.minutes(20)))
    struct CatchingUpTests {
        private let one: ChatDevice
        private let other: ChatDevice

        init() async throws {
            (one, other) = try SharedGateway.chatters()
            for device in [one, other] { try await device.chat { _ in } }
        }

        @Test("messages, new and left conversations, settings and what is unread come with the next connection")
        func everything() async throws {
            let gateway = try SharedGateway.current
            let tablet = try gateway.chatDevice("tablet", of: other.user.text)
            try tablet.link(by: other)
            try await tablet.chat { _ in }
            let (direct, leaving) = try await one.chat { alice in
                let direct = try await alice.conversation(with: other.user).id
                _ = try await alice.outcome(of: try await alice.send(.text("0"), to: direct))
                return (direct, try await alice.groups.create(name: "leaving", with: [other.user]).id)
            }
            try await other.chat { bob in
                #expect(Set(await bob.conversations.all().map(\.id)) == [direct, leaving])
            }
            // More than a page, while nobody of Bob's is there but the tablet.
            let joining = try await one.chat { alice in
                var last: MessageID?
                for number in 1...250 { last = try await alice.send(.text("\(number)"), to: direct) }
                if let last { _ = try await alice.outcome(of: last) }
                let joining = try await alice.groups.create(name: "joining", with: [other.user]).id
                _ = try await alice.outcome(of: try await alice.send(.text("hello"), to: joining))
                try await alice.groups.remove(other.user, from: leaving)
                return joining
            }
            try await tablet.chat { bob in
                try await bob.conversations.mute(joining)
                let message = try await bob.history(of: direct, at: .around(.seq(211)), limit: 1).messages
                try await bob.markRead(direct, upTo: try #require(message.last).id)
                #expect(try await bob.conversation(direct).unreadCount == 40)
            }
            try await other.chat { bob in
                var events = ClientEvents(bob)
                let seqs = try await bob.history(of: direct, limit: 200).messages.compactMap { $0.position?.seq }
                #expect(seqs == Array(52...251))
                let summaries = await bob.conversations.all()
                #expect(summaries.first { $0.id == leaving }?.isMember == false)
                #expect(summaries.first { $0.id == joining }?.preferences.isMuted == true)
                #expect(summaries.first { $0.id == joining }?.unreadCount == 1)
                let newest = try await bob.history(of: direct, limit: 1).messages
                try await bob.markRead(direct, upTo: try #require(newest.last).id)
                _ = try await events.next("nothing unread") { event -> Bool? in
                    guard case .conversationChanged(let summary) = event, summary.id == direct else { return nil }
                    return summary.unreadCount == 0 ? true : nil
                }
            }
        }

        /// Nobody is put back who was removed. This stands for an invitation that they have accepted: their departure
        /// is taken out of the database, between two runs of the gateway.
        private func invite(_ user: UserID, in gateway: TestGateway) throws {
            #expect(gateway.endParleyd() == 0)
            try gateway.changeDatabase(#"DELETE FROM departures WHERE "user" = '\#(user)'"#)
            try gateway.startParleyd()
        }

        @Test("a member again, one sees what follows, and what was said meanwhile holds up nothing")
        func rejoined() async throws {
            let gateway = try TestGateway()
            let (one, other) = (try gateway.chatter(), try gateway.chatter())
            // A third member to whom the messages meanwhile are sent.
            let third = try gateway.chatter()
            for device in [one, other, third] { try await device.chat { _ in } }
            let group = try await one.chat { alice in
                let group = try await alice.groups.create(name: "again", with: [other.user, third.user]).id
                _ = try await alice.outcome(of: try await alice.send(.text("before"), to: group))
                return group
            }
            try await other.chat { bob in
                let texts = try await bob.history(of: group).messages.compactMap(\.text)
                #expect(texts == ["before"])
            }
            try await one.chat { alice in
                try await alice.groups.remove(other.user, from: group)
                _ = try await alice.outcome(of: try await alice.send(.text("meanwhile"), to: group))
            }
            try invite(other.user, in: gateway)
            try await one.chat { alice in
                try await alice.groups.add([other.user], to: group)
                _ = try await alice.outcome(of: try await alice.send(.text("after"), to: group))
            }
            try await other.chat { bob in
                #expect(try await bob.history(of: group).messages.compactMap(\.text) == ["before", "after"])
                try await one.chat { alice in
                    try await alice.groups.remove(other.user, from: group)
                    _ = try await alice.outcome(of: try await alice.send(.text("unseen"), to: group))
                }
                try invite(other.user, in: gateway)
                try await one.chat { alice in
                    try await alice.groups.add([other.user], to: group)
                    _ = try await alice.outcome(of: try await alice.send(.text("at last"), to: group))
                }
                var texts: [String] = []
                try await waiting(for: "the last text") {
                    texts = try await bob.history(of: group).messages.compactMap(\.text)
                    return texts.last == "at last"
                }
                #expect(texts == ["before", "after", "at last"])
            }
        }
    }
}
