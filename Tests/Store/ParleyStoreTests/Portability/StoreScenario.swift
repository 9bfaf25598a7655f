import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

/// Everything that the gateway asks of its database, once: who listens hears every statement there is.
///
/// A new query is called here; `PortabilityTests` names what is missing. What is asked for by lists of keys is asked
/// for with one key and with several.
struct StoreScenario {
    let store: Store
    private let everybody: [UserID] = ["alice", "bob", "carol", "dave", "erin", "frank"]
    private let phone = device("alice", "phone")
    private let key32 = [UInt8](repeating: 1, count: 32)
    private let digest16 = [UInt8](repeating: 2, count: 16)

    init(store: Store) { self.store = store }

    func run() throws {
        try people()
        try devices()
        try keyChanges()
        try nameChanges()
        let (direct, group) = try conversations()
        try members(of: group)
        try groups()
        try boards(of: group)
        try activity(in: direct)
        try messages(in: direct)
        try blobs(in: direct)
        try receipts(in: direct)
        try lists(direct)
        try challenges(in: group)
        try batches(direct)
        try notifications()
        try achievements()
        try pushes(in: direct)
        try gateway()
        try accounts()
    }

    private func people() throws {
        let reports = LimitKey(.reports, of: "alice")
        try store.write { transaction in
            try transaction.insertPeople(everybody)
            let profile = try #require(try transaction.facts.users.profile("alice"))
            try transaction.users.update(profile)
            try transaction.accounts.setKey(key32, of: "alice")
            try transaction.accounts.setBackup(AccountBackup(blob: [1], updatedAt: at(0)), of: "alice")
            try transaction.storedBytes.add(everybody.map { ($0, 1) }, on: 1)
            try transaction.storedBytes.remove(before: 1)
            var uses = LimitUses()
            uses.load(reports, stored: nil, ofQueries: 1, Rate(burst: 2, perHour: 2), now: at(0))
            for (key, count) in uses.changed { try transaction.limitUses.replace(key, count) }
            _ = try transaction.limitUses.removeFull(at: at(0), limit: 9)
            try transaction.presence.save(Dictionary(uniqueKeysWithValues: everybody.map { ($0, Presence.online) }))
            try transaction.outbox.forgetBroker()
            try transaction.outbox.setBroker(1, of: .presence)
            try transaction.outbox.setBroker(1, of: .info)
        }
        try store.read { snapshot throws in
            _ = try snapshot.users.summaries(after: nil, limit: 9)
            _ = try snapshot.users.summary("alice")
            _ = try snapshot.users.role(of: "alice")
            _ = (try snapshot.sizes.people(), try snapshot.sizes.devices())
            _ = try snapshot.devices.tokenEnds(of: ["alice"])
            _ = try snapshot.users.disclosure(of: "alice")
            _ = try snapshot.accounts.userKeys(of: "alice")
            _ = try snapshot.accounts.backup(of: "alice")
            _ = try snapshot.storedBytes.count(of: everybody, on: 1)
            _ = try snapshot.limitUses.fullAt(reports)
            _ = try snapshot.presence.stored(of: everybody)
            _ = try snapshot.presence.stored(after: nil, limit: 9)
            _ = try snapshot.presence.usersOnline()
            _ = try snapshot.presence.usersOffline(since: at(0))
            _ = try snapshot.outbox.broker(of: .presence)
            _ = try snapshot.outbox.broker(of: .info)
        }
    }

    private func devices() throws {
        try store.write { transaction in
            let names = (0..<5).map { device("alice", DeviceID(stringLiteral: "device\($0)")) }
            for address in [phone] + names {
                try transaction.devices.put(address, tokenID: .random(), now: at(0), expiresAt: at(9))
            }
            try transaction.devices.setLastSeen(names.map { ($0, at(1)) })
            try transaction.devices.setName("Phone", of: phone)
            try transaction.devices.setKeys(
                DeviceKeys(
                    device: phone.device, identityKey: key32, signingKey: nil, signature: nil, createdAt: at(0)),
                of: "alice")
            let token = UUIDValue.random()
            try transaction.tokens.renew(
                of: phone, to: token, expiresAt: at(9), previous: RenewedToken(tokenID: .random(), endsAt: at(5)),
                request: nil, now: at(1))
            _ = try transaction.tokens.endPrevious(of: phone, by: token)
            try transaction.tokens.setOrigin(TokenOrigin(digest: digest16, at: at(1)), of: phone)
            let offer = LinkOffer(identityKey: key32, signingKey: key32, linkKey: key32)
            try transaction.links.save(
                PendingLink(device: phone.device, offer: offer, expiresAt: at(9)), of: "alice", now: at(1))
            try transaction.links.setApproval(digest16, of: phone)

            let facts = transaction.facts
            _ = try facts.tokens.origin(of: phone)
            _ = try facts.devices.made(by: phone)
            _ = try facts.links.link(of: phone, now: at(1))
            _ = try facts.links.ends(of: "alice", besides: "laptop", now: at(1))
            _ = try facts.devices.exists(phone)
            _ = try facts.devices.summaries(of: "alice")
            try facts.devices.readAll { _ in }
            try transaction.devices.revoke(names[0], at: at(2))
        }
    }

    private func keyChanges() throws {
        try store.write { transaction in
            try transaction.keyChanges.mark(of: "alice", at: at(0))
            _ = try transaction.facts.keyChanges.next()
            let telling = try #require(try transaction.facts.keyChanges.due(at: at(0)))
            _ = try transaction.facts.keyChanges.hearers(of: "alice", after: nil, limit: 9)
            try transaction.keyChanges.update(telling, dueAt: at(1))
            try transaction.keyChanges.remove(of: "alice")
        }
    }

    private func nameChanges() throws {
        try store.write { transaction in
            try transaction.nameChanges.mark(of: "alice", dueAt: at(0))
            _ = try transaction.facts.nameChanges.next()
            let change = try #require(try transaction.facts.nameChanges.due(at: at(0)))
            _ = try transaction.facts.info.groupConversations(of: "alice", after: nil, limit: 9)
            try transaction.nameChanges.update(change, dueAt: at(1))
            try transaction.nameChanges.remove(of: "alice")
        }
    }

    private func conversations() throws -> (direct: ConversationState, group: ConversationState) {
        try store.write { transaction in
            let direct = try transaction.insertConversation(["alice", "bob"])
            let group = try transaction.insertConversation(["alice", "bob", "carol"])
            try transaction.conversations.setMade(by: "bob", at: at(1), in: direct)
            try transaction.conversations.updateOwnEnd(of: "bob", in: direct)
            try transaction.members.setOpen(true, for: "bob", in: direct.key, isCounted: true)

            // Each way in which two can stand to each other, and back.
            typealias Side = Contact.Side
            let stages = [
                Contact("alice", Side(), "bob", Side()),
                Contact("alice", Side(follows: true), "bob", Side(follows: true)),
                Contact("alice", Side(blocks: true), "bob", Side(request: .waiting), friendsUntil: at(1)),
                Contact("alice", Side(), "bob", Side()),
            ]
            for (old, new) in zip(stages, stages.dropFirst()) {
                try transaction.contacts.update(old, to: new, conversation: direct.key, at: at(2))
            }
            let facts = transaction.facts
            _ = try facts.conversations.withContact(direct.facts.id)
            _ = try facts.contacts.contacts(everybody.dropFirst().map { ("alice", $0) })
            _ = try facts.conversations.origin(of: group.facts.id)
            _ = try facts.members.shareConversation("alice", with: "bob")
            try facts.audiences.readAll { _, _, _ in }
            try facts.audiences.readFriendships { _, _ in }
            return (direct, group)
        }
    }

    private func members(of group: ConversationState) throws {
        try store.write { transaction in
            try transaction.members.insert(
                MemberFacts(user: "dave", role: .member, joinedAt: at(3)), into: group, addedBy: "alice")
            try transaction.members.setRole(.admin, of: "dave", in: group.key)
            try transaction.conversations.rename(group.key, to: "group")
            let facts = transaction.facts
            _ = try facts.members.groupsByOthers(of: "dave", atMost: 9)
            _ = try facts.members.countedConversations(of: "dave", atMost: 9)
            try transaction.members.delete("dave", of: group.key)
            try transaction.members.insertDeparture(of: "dave", from: group.key, reply: [1], at: at(4))
            _ = try facts.members.leaveReply(of: "dave", from: group.key)
            _ = try facts.members.hasLeft("dave", from: group.key)
        }
    }

    /// What brings a conversation back from an archive, and the hints of its activity after it.
    private func activity(in conversation: ConversationState) throws {
        try store.write { transaction in
            var state = try transaction.facts.existing(conversation.facts.id)
            try transaction.members.setPreferences(ConversationPreferences(isArchived: true), of: "alice", in: &state)
            state.facts.lastSeq += 1
            state.facts.lastMessageSeq += 1
            // The clock goes back, and then far ahead.
            state.facts.updatedAt = at(-1)
            try transaction.conversations.updateLog(&state)
            state.facts.updatedAt = at(ActivityIndexLag.limit.inMilliseconds * 2)
            try transaction.conversations.updateLog(&state)
            state.facts.lastSeq = 0
            state.facts.lastMessageSeq = 0
            _ = try transaction.conversations.updateLogs(Array(repeating: state, count: 5))
        }
    }

    private func messages(in conversation: ConversationState) throws {
        let id = conversation.facts.id
        try store.write { transaction in
            let records = try (0..<3).map { _ in try transaction.append(to: id, from: phone) }
            try transaction.insertEvent(
                position: 100, topic: [1], payload: Array(#"{"epoch":"epoch"}"#.utf8)[...], retain: false)
            let facts = transaction.facts
            let state = try facts.existing(id)
            _ = try facts.records.record(at: 1, in: state, seenBy: "bob")
            try facts.records.read(state, after: 0, seenBy: "bob", limit: 1) { _ in true }
            _ = try facts.records.id(at: 1, in: state.key)
            _ = try facts.outbox.unpublished(after: 0, limit: 9)
            let entries = try facts.outbox.entries(after: 0, in: .only, limit: 9)
            #expect(try facts.outbox.events(at: entries.map(\.position)).count == entries.count)
            _ = try facts.outbox.hearers([state.key])
            _ = try facts.outbox.records(of: id, after: 0, before: 9, limit: 9)
            _ = try facts.outbox.keys(of: [id])
            _ = try facts.outbox.lastPosition()
            _ = try facts.outbox.publishedThrough()
            _ = try facts.records.nextExpiry()
            _ = try transaction.records.removeExpired(at: at(0), limit: 1)
            try transaction.records.removeCiphertext(of: records[0].id)
            try transaction.reports.insert(
                Report(
                    id: .random(), reporter: "alice", reason: "spam", user: "bob", message: nil, evidence: nil,
                    createdAt: at(0)), digest: digest16)
            _ = try facts.reports.identity(of: .random())
            try facts.reports.read(before: nil, limit: 1) { _, _ in true }
        }
    }

    private func receipts(in conversation: ConversationState) throws {
        try store.write { transaction in
            try transaction.mark(.read, upTo: 1, by: device("bob", "phone"), in: conversation.key)
            let facts = transaction.facts
            _ = try facts.receipts.leastWatermark(besides: "alice", in: conversation.key)
            _ = try facts.receipts.watermarks(in: conversation.key, for: "alice")
        }
    }

    private func lists(_ conversation: ConversationState) throws {
        try store.read { snapshot throws in
            for list in PeopleList.allCases {
                _ = try snapshot.people.page(list, of: "alice", seenBy: "bob", after: nil, limit: 9)
            }
            _ = try snapshot.people.followCounts(of: "alice", seenBy: "bob")
            try snapshot.requests.waiting(for: "alice", after: nil, limit: 9) { _ in true }
            _ = try snapshot.listings.keys(of: "bob", archived: false, limit: 9, offset: 0)
            _ = try snapshot.listings.count(of: "bob", archived: false)
            let listing = try #require(try snapshot.listings.listing(conversation.key, for: "bob", now: at(0)))
            #expect(listing.listEntry?.lastMessage != nil)
            _ = try snapshot.unread.count(of: "bob", in: conversation.key)
            let candidate = try #require(
                try snapshot.sync.candidates(of: "bob", now: at(0)).first { $0.key == conversation.key })
            try snapshot.sync.records(of: candidate, after: 0, seenBy: "bob") { _ in true }
        }
    }

    private func challenges(in conversation: ConversationState) throws {
        try store.write { transaction in
            let day = CivilDay(daysSinceEpoch: 20_000)
            for metric in Metric.allCases {
                _ = try transaction.facts.metrics.sum(of: metric, of: "alice", from: day, through: day, cap: 1)
            }
            _ = try transaction.facts.metrics.day(day, of: "alice")
            try transaction.metrics.save(
                DayMetrics(day: day, timeZone: "UTC", version: 1, values: MetricValues(steps: 1)), of: "alice",
                at: at(0))
            let state = ChallengeState(
                ChallengeState.Terms(
                    id: .random(), conversation: conversation.facts.id, challenger: "alice", challenged: "bob",
                    type: .steps, target: 1, durationDays: 1, createdAt: at(0)), steady: at(0))
            try transaction.challenges.insert(
                state, in: conversation.key, digest: digest16, dueAt: at(1), steady: at(0))
            let facts = transaction.facts
            _ = try facts.challenges.digest(of: state.terms.id)
            let challenge = try #require(try facts.challenges.challenge(state.terms.id))
            _ = try facts.challenges.openCount(of: "alice")
            _ = try facts.challenges.next()
            _ = try facts.challenges.due(at: at(1), limit: 9)
            try facts.challenges.read(of: "alice", before: nil, limit: 9) { _ in true }
            try facts.challenges.read(in: conversation.key, before: nil, limit: 9) { _ in true }
            _ = try transaction.challenges.markProgress(of: "alice", isOfWorkouts: true, at: at(0), pause: .seconds(1))
            try transaction.challenges.update(challenge, dueAt: at(2), publishedAt: at(0))
            try transaction.challenges.postpone(challenge.key, to: at(3))
            _ = try transaction.challenges.remove(overBy: at(3), limit: 9)
        }
    }

    /// What a batch gathers and writes at once, of several of each kind.
    private func batches(_ conversation: ConversationState) throws {
        try store.write { transaction in
            var keys = FactKeys()
            for count in [1, 5] {
                let users = everybody.prefix(count)
                keys.devices = Set(users.map { device($0, "phone") })
                keys.conversations = Set([conversation.facts.id] + (1..<count).map { _ in .random() })
                keys.records = Set((0..<count).map { _ in .random() })
                keys.targets = keys.records
                keys.keyHolders = Set(users)
                keys.disclosing = Set(users)
                keys.storing = Set(users)
                keys.receipts = Set(
                    users.map { FactKeys.Receipt(conversation: conversation.facts.id, reader: device($0, "phone")) })
                _ = try transaction.facts.gather(keys)
            }
            let advance = ReceiptRule.decide(
                .read, upTo: 2,
                ReceiptState(
                    user: WatermarkFacts(deliveredSeq: 0, deliveredAt: nil, readSeq: 0, readAt: nil),
                    device: Watermarks(), disclosed: Watermarks()), .everything, now: at(0))
            var writes = PendingWrites()
            for (index, user) in everybody.prefix(5).enumerated() {
                writes.advance(try #require(advance), of: device(user, "phone"), in: conversation.key)
                writes.append(position: 101 + index, topic: [1], payload: [1], retain: false)
            }
            _ = try transaction.apply(writes)
        }
    }

    private func notifications() throws {
        try store.write { transaction in
            let keys = everybody.prefix(5).map { NotificationQueries.RepeatKey(user: $0, key: "key") }
            for count in [1, 5] {
                let some = Array(keys.prefix(count))
                _ = try transaction.facts.notifications.added(some)
                _ = try transaction.facts.notifications.blocks(some.map { ($0.user, "frank") })
                _ = try transaction.facts.notifications.muted(some.map { ($0.user, .random()) }, at: at(0))
                _ = try transaction.facts.notifications.lastNumbers(of: some.map(\.user))
                try transaction.notifications.release(some)
                let rows = some.map { key in
                    NotificationRow(
                        user: key.user, number: NotificationFeed.most + count,
                        notification: FeedNotification(
                            id: .random(), type: .known(.reaction), actor: "frank", subject: NotificationSubject(),
                            badge: .countedLater, isRead: false, createdAt: at(0), expiresAt: at(1)), key: key.key,
                        disappearsAt: at(1))
                }
                try transaction.notifications.insert(rows)
                try transaction.notifications.refresh(zip(some, rows).map { (key: $0, row: $1) })
                let ids = rows.map(\.notification.id)
                _ = try transaction.facts.notifications.unread(among: ids, of: "alice")
                try transaction.notifications.markRead(ids)
            }
            let facts = transaction.facts
            try facts.notifications.read(of: "alice", before: nil, limit: 9, badge: 0) { _ in true }
            _ = try facts.notifications.unreadCount(of: "alice")
            _ = try facts.notifications.hasUnread("alice")
            _ = try facts.notifications.state(of: keys[0])
            _ = try facts.notifications.nextRemoval()
            _ = try facts.unread.count(.badge(of: "alice", at: at(0)))
            try transaction.notifications.markAllRead(of: "alice")
            _ = try transaction.notifications.removeExpired(at: at(0), limit: 9)
        }
    }

    private func achievements() throws {
        try store.write { transaction in
            let item = ActivityItem(
                id: .random(), user: "alice", type: .known(.goalReached), title: "5 km", description: nil,
                metadata: Array("{}".utf8), timestamp: at(0))
            _ = try transaction.activities.insert(item, .posted(digest: digest16), disappearsAt: at(1))
            let stored = try #require(try transaction.facts.activities.item(item.id, seenBy: "bob"))
            try transaction.activities.react("bob", try #require(Emoji("👏")), to: stored.key, at: at(0))
            try transaction.activities.unreact("bob", to: stored.key)
            let facts = transaction.facts
            _ = try facts.activities.visibleItem(item.id, to: "bob")
            for owner in [nil, "alice"] as [UserID?] {
                try facts.activities.read(of: owner, seenBy: "alice", before: nil) { _ in true }
            }
            _ = try facts.activities.nextRemoval()
            _ = try facts.summaries.activeChallenges(of: "alice")
            _ = try transaction.activities.removeExpired(at: at(1), limit: 9)
        }
    }

    private func gateway() throws {
        try store.write { transaction in
            try transaction.continuity.setInstance("name")
            _ = try transaction.facts.continuity.instance()
            _ = try transaction.facts.conversations.count()
            _ = try transaction.facts.info.groupConversations(after: nil, limit: 9)
            _ = try transaction.continuity.renewEpochs { "renewed" }
            try transaction.clock.store(StoredClock(boot: "boot", bootOffset: 1, clockOffset: 1, lastTime: at(0)))
            _ = try transaction.facts.clock.stored()
            try transaction.outbox.advance(through: 1)
        }
    }
}
