import ParleyProtocol
import ParleyRules
import TestSupport
import Testing

@testable import ParleyStore

/// Everything that the gateway asks of its database, once: who listens hears every statement there is.
///
/// A new query is called here; `PortabilityTests` names what is missing. What is asked for by lists of keys is asked for
/// with one key and with several.
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
        try activity(in: direct)
        try messages(in: direct)
        try receipts(in: direct)
        try lists(direct)
        try batches(direct)
        try gateway()
    }

    private func people() throws {
        try store.write { transaction in
            try transaction.insertPeople(everybody)
            let profile = try #require(try transaction.facts.profile("alice"))
            try transaction.update(profile)
            try transaction.setAccountKey(key32, of: "alice")
            try transaction.setAccountBackup(AccountBackup(blob: [1], updatedAt: at(0)), of: "alice")
            try transaction.setStoredBytes(everybody.map { ($0, 1) }, on: 1)
            try transaction.removeStoredBytes(before: 1)
            try transaction.put(Dictionary(uniqueKeysWithValues: everybody.map { ($0, Presence.online) }))
            try transaction.notePresenceBroker(1)
            try transaction.noteInfoBroker(1)
        }
        try store.read { snapshot throws in
            _ = try snapshot.users(after: nil, limit: 9)
            _ = try snapshot.userSummary("alice")
            _ = try snapshot.role(of: "alice")
            _ = try snapshot.disclosure(of: "alice")
            _ = try snapshot.userKeys(of: "alice")
            _ = try snapshot.accountBackup(of: "alice")
            _ = try snapshot.storedBytes(of: everybody, on: 1)
            _ = try snapshot.presences(of: everybody)
            _ = try snapshot.presences(after: nil, limit: 9)
            _ = try snapshot.usersOnline()
            _ = try snapshot.presenceBroker()
            _ = try snapshot.infoBroker()
        }
    }

    private func devices() throws {
        try store.write { transaction in
            let names = (0..<5).map { device("alice", DeviceID(stringLiteral: "device\($0)")) }
            for address in [phone] + names {
                try transaction.putDevice(address, tokenID: .random(), now: at(0), expiresAt: at(9))
            }
            try transaction.setLastSeen(names.map { ($0, at(1)) })
            try transaction.setName("Phone", of: phone)
            try transaction.setKeys(
                DeviceKeys(
                    device: phone.device, identityKey: key32, signingKey: nil, signature: nil, createdAt: at(0)),
                of: "alice")
            let token = UUIDValue.random()
            try transaction.renewToken(
                of: phone, to: token, expiresAt: at(9), previous: RenewedToken(tokenID: .random(), endsAt: at(5)),
                request: nil, now: at(1))
            _ = try transaction.endPreviousToken(of: phone, by: token)
            try transaction.setTokenOrigin(TokenOrigin(digest: digest16, at: at(1)), of: phone)
            let offer = LinkOffer(identityKey: key32, signingKey: key32, linkKey: key32)
            try transaction.put(
                PendingLink(device: phone.device, offer: offer, expiresAt: at(9)), of: "alice", now: at(1))
            try transaction.setApproval(digest16, of: phone)

            let facts = transaction.facts
            _ = try facts.tokenOrigin(of: phone)
            _ = try facts.devicesMade(by: phone)
            _ = try facts.link(of: phone, now: at(1))
            _ = try facts.linkEnds(of: "alice", besides: "laptop", now: at(1))
            _ = try facts.hasDevice(phone)
            _ = try facts.devices(of: "alice")
            try facts.everyDevice { _ in }
            try transaction.revokeDevice(names[0], at: at(2))
        }
    }

    private func keyChanges() throws {
        try store.write { transaction in
            try transaction.noteKeyChange(of: "alice", at: at(0))
            _ = try transaction.facts.nextKeyChange()
            let telling = try #require(try transaction.facts.dueKeyChange(at: at(0)))
            _ = try transaction.facts.keyChangeHearers(of: "alice", after: nil, limit: 9)
            try transaction.setKeyChange(telling, dueAt: at(1))
            try transaction.removeKeyChange(of: "alice")
        }
    }

    private func nameChanges() throws {
        try store.write { transaction in
            try transaction.noteNameChange(of: "alice", dueAt: at(0))
            _ = try transaction.facts.nextNameChange()
            let change = try #require(try transaction.facts.dueNameChange(at: at(0)))
            _ = try transaction.facts.groups(of: "alice", after: nil, limit: 9)
            try transaction.setNameChange(change, dueAt: at(1))
            try transaction.removeNameChange(of: "alice")
        }
    }

    private func conversations() throws -> (direct: ConversationState, group: ConversationState) {
        try store.write { transaction in
            let direct = try transaction.insertConversation(["alice", "bob"])
            let group = try transaction.insertConversation(["alice", "bob", "carol"])
            try transaction.setMade(by: "bob", at: at(1), in: direct)
            try transaction.updateOwnEnd(of: "bob", in: direct)
            try transaction.setOpen(true, for: "bob", in: direct.key)

            // Each way in which two can stand to each other, and back.
            typealias Side = Contact.Side
            let stages = [
                Contact("alice", Side(), "bob", Side()),
                Contact("alice", Side(follows: true), "bob", Side(follows: true)),
                Contact("alice", Side(blocks: true), "bob", Side(request: .waiting), friendsUntil: at(1)),
                Contact("alice", Side(), "bob", Side()),
            ]
            for (old, new) in zip(stages, stages.dropFirst()) {
                try transaction.update(old, to: new, conversation: direct.key, at: at(2))
            }
            let facts = transaction.facts
            _ = try facts.conversationWithContact(direct.facts.id)
            _ = try facts.contacts(everybody.dropFirst().map { ("alice", $0) })
            _ = try facts.origin(of: group.facts.id)
            _ = try facts.shareConversation("alice", with: "bob")
            try facts.everyAudience { _, _, _ in }
            try facts.everyFriendship { _, _ in }
            return (direct, group)
        }
    }

    private func members(of group: ConversationState) throws {
        try store.write { transaction in
            try transaction.insert(
                MemberFacts(user: "dave", role: .member, joinedAt: at(3)), into: group, addedBy: "alice")
            try transaction.setRole(.admin, of: "dave", in: group.key)
            try transaction.rename(group.key, to: "group")
            let facts = transaction.facts
            _ = try facts.groupsByOthers(of: "dave", atMost: 9)
            try transaction.deleteMember("dave", of: group.key)
            try transaction.insertDeparture(of: "dave", from: group.key, farewell: [1], at: at(4))
            _ = try facts.farewell(of: "dave", from: group.key)
            _ = try facts.hasDeparted("dave", from: group.key)
        }
    }

    /// What brings a conversation back from an archive, and the hints of its activity after it.
    private func activity(in conversation: ConversationState) throws {
        try store.write { transaction in
            var state = try transaction.facts.existing(conversation.facts.id)
            try transaction.setPreferences(
                ConversationPreferences(isArchived: true), of: "alice", in: &state)
            state.facts.lastSeq += 1
            state.facts.lastMessageSeq += 1
            // The clock goes back, and then far ahead.
            state.facts.updatedAt = at(-1)
            try transaction.updateLog(&state)
            state.facts.updatedAt = at(ActivityHint.lag * 2)
            try transaction.updateLog(&state)
            state.facts.lastSeq = 0
            state.facts.lastMessageSeq = 0
            _ = try transaction.updateLogs(Array(repeating: state, count: 5))
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
            _ = try facts.record(at: 1, in: state, seenBy: "bob")
            try facts.records(state, after: 0, seenBy: "bob", limit: 1) { _ in true }
            _ = try facts.messageID(at: 1, in: state.key)
            _ = try facts.unpublished(after: 0, limit: 9)
            _ = try facts.lastPosition()
            _ = try facts.publishedThrough()
            _ = try facts.nextExpiry()
            _ = try transaction.removeExpired(at: at(0), limit: 1)
            try transaction.removeCiphertext(of: records[0].id)
            try transaction.insert(
                Report(
                    id: .random(), reporter: "alice", reason: "spam", user: "bob", message: nil, evidence: nil,
                    createdAt: at(0)), digest: digest16)
            _ = try facts.reportIdentity(of: .random())
            try facts.reports(before: nil, limit: 1) { _, _ in true }
        }
    }

    private func receipts(in conversation: ConversationState) throws {
        try store.write { transaction in
            try transaction.mark(.read, upTo: 1, by: device("bob", "phone"), in: conversation.key)
            let facts = transaction.facts
            _ = try facts.leastWatermark(besides: "alice", in: conversation.key)
            _ = try facts.watermarks(in: conversation.key, for: "alice")
        }
    }

    private func lists(_ conversation: ConversationState) throws {
        try store.read { snapshot throws in
            for list in PeopleList.allCases {
                _ = try snapshot.people(list, of: "alice", seenBy: "bob", after: nil, limit: 9)
            }
            _ = try snapshot.followCounts(of: "alice", seenBy: "bob")
            try snapshot.waitingRequests(for: "alice", after: nil, limit: 9) { _ in true }
            _ = try snapshot.conversationKeys(of: "bob", archived: false, limit: 9, offset: 0)
            _ = try snapshot.conversationCount(of: "bob", archived: false)
            let listing = try #require(try snapshot.listing(conversation.key, for: "bob", now: at(0)))
            #expect(listing.lastMessage != nil)
            _ = try snapshot.unreadCount(of: "bob", in: conversation.key)
            let candidate = try #require(
                try snapshot.syncCandidates(of: "bob", now: at(0)).first { $0.key == conversation.key })
            try snapshot.records(of: candidate, after: 0, seenBy: "bob") { _ in true }
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
            let advance = AdvanceWatermark.decide(
                .read, upTo: 2,
                AdvanceWatermark.Facts(
                    user: WatermarkFacts(deliveredSeq: 0, deliveredAt: nil, readSeq: 0, readAt: nil),
                    device: Watermarks(), disclosed: Watermarks(), disclosure: .everything), now: at(0))
            var writes = PendingWrites()
            for (index, user) in everybody.prefix(5).enumerated() {
                writes.advance(try #require(advance), of: device(user, "phone"), in: conversation.key)
                writes.append(position: 101 + index, topic: [1], payload: [1], retain: false)
            }
            _ = try transaction.apply(writes)
        }
    }

    private func gateway() throws {
        try store.write { transaction in
            try transaction.setInstance("name")
            _ = try transaction.facts.instance()
            _ = try transaction.facts.conversationCount()
            _ = try transaction.facts.groups(after: nil, limit: 9)
            _ = try transaction.renewEpochs { "renewed" }
            try transaction.store(StoredClock(boot: "boot", bootOffset: 1, steps: 1, lastTime: at(0)))
            _ = try transaction.facts.storedClock()
            try transaction.advancePublished(through: 1)
        }
    }
}
