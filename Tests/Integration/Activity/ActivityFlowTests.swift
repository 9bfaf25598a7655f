import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    /// What friends achieve, through the real broker: who hears what, and what clients make of it.
    @Suite("Activity and notifications, through the real broker", .timeLimit(.minutes(20)))
    struct ActivityFlowTests {
        private func post(_ device: DeviceClient, _ title: String) throws -> String {
            let id = newID()
            try device.accepted(
                "activity/post", ["id": .string(id), "type": "goal_reached", "title": .string(title)])
            return id
        }

        @Test("friends hear what one achieves and what their own friends say of it, and strangers hear nothing")
        func deliveries() throws {
            let gateway = try SharedGateway.current
            let people = try gateway.people(4)
            let devices = try people.map { try gateway.connect($0) }
            let (alice, bob, carol, mallory) = (devices[0], devices[1], devices[2], devices[3])
            for friend in [bob, carol] { try alice.befriend(friend) }
            let topic = "users/\(alice.user)/activity"
            for device in [alice, bob, carol] { #expect(try device.subscribe("parley/v1/\(topic)") == 1) }
            #expect(try mallory.subscribe("parley/v1/\(topic)") == 0x87)
            #expect(try alice.subscribe("parley/v1/users/\(alice.user)/notifications") == 1)

            let first = try post(alice, "5 km")
            for device in [alice, bob, carol] {
                #expect(try device.event("activity.new", on: topic)["id"].text == first)
            }
            try bob.accepted("activity/react", ["id": .string(first), "emoji": "👏"])
            for device in [alice, bob] {
                #expect(try device.event("activity.reaction", on: topic)["user_id"].text == bob.user)
            }
            let notification = try alice.event("notification.new", on: "users/\(alice.user)/notifications")
            #expect(notification["activity_id"].text == first && notification["actor_id"].text == bob.user)
            let second = try post(alice, "10 km")
            // bob is nobody to carol: between the two items she has heard nothing.
            let heard = try carol.take("what comes next") { $0.topic == "parley/v1/" + topic }
            #expect(heard.json["data"]["id"].text == second)

            try alice.accepted("social/unfollow", ["user_id": .string(carol.user)])
            _ = try post(alice, "20 km")
            _ = try bob.take("the last item") { $0.json["data"]["title"].text == "20 km" }
            _ = try carol.accepted("profile/get")
            #expect(carol.events(on: topic).isEmpty)
            #expect(try mallory.refusal("activity/list", ["user_id": .string(alice.user)]) == "forbidden")
        }

        @Test("a client posts, watches, reacts, and is told of what concerns its user")
        func clients() async throws {
            let (one, other) = try SharedGateway.chatters()
            try await chat(one, other) { alice, bob in
                var (atAlice, atBob) = (ClientEvents(alice), ClientEvents(bob))
                await bob.activity.watch([one.user, other.user])
                try await alice.people.follow(other.user)
                try await bob.people.follow(one.user)
                _ = try await atBob.next("the friendship") {
                    if case .gateway(is PersonNotice) = $0 { true } else { nil }
                }
                let item = try await alice.activity.post(.planCompleted, title: "Six weeks", description: "done")
                // The first may have been posted before the broker granted the subscription.
                let listed = try await bob.activity.list().items
                #expect(listed == [item])
                let emoji = try #require(Emoji("👏"))
                let reacted = try await bob.activity.react(emoji, to: item.id)
                #expect(reacted.reactions == [other.user: "👏"])
                let notification = try await atAlice.next("the notification") { event -> FeedNotification? in
                    if case .gateway(let notification as FeedNotification) = event { notification } else { nil }
                }
                #expect(notification.type == .known(.reaction) && notification.actor == other.user)
                #expect(notification.subject.activity == item.id && !notification.isRead)
                let page = try await alice.notifications.list()
                #expect(page.items.map(\.id) == [notification.id] && page.unreadCount == 1)
                #expect(try await alice.notifications.markRead([notification.id]) == 0)
                let cleared = try await atAlice.next("the clearing") { event -> NotificationsCleared? in
                    if case .gateway(let cleared as NotificationsCleared) = event { cleared } else { nil }
                }
                #expect(cleared.ids == [notification.id] && cleared.unreadCount == 0)
                #expect(try await bob.activity.removeReaction(from: item.id).reactions.isEmpty)
                #expect(try await bob.activity.summary(of: one.user).achievements.map(\.id) == [item.id])
                try await alice.notifications.markAllRead()
            }
        }
    }
}
