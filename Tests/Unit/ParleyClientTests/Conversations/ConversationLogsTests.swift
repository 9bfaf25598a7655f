import ParleyDeviceStore
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What a client knows of its conversations")
struct ConversationLogsTests {
    private static let alice = UserID(validated: "alice")
    private static let bob = UserID(validated: "bob")
    private static let carol = UserID(validated: "carol")

    private let id = ConversationID.random()

    private func logs(_ follows: ClientConfiguration.Following = .all) -> ConversationLogs {
        ConversationLogs(of: Self.alice, follows: follows)
    }

    private func group(
        _ id: ConversationID, _ users: [UserID] = [alice, bob], name: String? = "Trio", lastSeq: Int? = 0,
        updatedAt: Int64 = 1
    ) -> Conversation {
        .sample(id, .group, of: users, name: name, lastSeq: lastSeq, updatedAt: updatedAt)
    }

    private func record(_ seq: Int, in id: ConversationID, epoch: String = "e") -> MessageRecord {
        .sample(seq, in: id, epoch: epoch, by: device("bob/phone"))
    }

    /// Logs that know the group, with its newest page.
    private func settled() throws -> ConversationLogs {
        let logs = logs()
        _ = try logs.merge(group(id, lastSeq: 3))
        logs.update(id) { entry in
            let page = ConversationLog<MessageRecord>.Page(
                epoch: "e", lastSeq: 3, records: (1...3).map { record($0, in: id) })
            _ = entry.log.merge(page, for: .newest)
        }
        while let next = logs.beginDelivery() {
            logs.update(next) { $0.log.advance(by: $0.log.ready(limit: .max).count) }
            _ = logs.endDelivery(of: next)
        }
        return logs
    }

    @Test("a conversation is added once, changed when a list shows it otherwise, and its members are named")
    func merged() throws {
        let logs = logs()
        let first = try logs.merge(group(id))
        #expect(first.isAdded && first.isNewlyFollowed && first.memberChange == nil && first.old == nil)
        let same = try logs.merge(group(id))
        #expect(!same.isAdded && !same.isChanged && !same.isNewlyFollowed && same.memberChange == nil)
        let other = try logs.merge(group(id, [Self.alice, Self.carol], updatedAt: 2))
        #expect(other.isChanged && !other.isAdded)
        let change = try #require(other.memberChange)
        #expect(change.added == [Self.carol] && change.removed == [Self.bob])
        let renamed = try logs.merge(group(id, [Self.alice, Self.carol], name: "Duo", updatedAt: 3))
        #expect(renamed.isChanged && renamed.memberChange == nil)
        // What is older than what is known says nothing new.
        let late = try logs.merge(group(id, updatedAt: 1))
        #expect(!late.isChanged && logs.members(of: id) == [Self.alice, Self.carol])
    }

    @Test("what cannot be so changes nothing, and each fault is told once")
    func faults() throws {
        let logs = logs()
        let foreign = group(id, [Self.bob, Self.carol])
        #expect(throws: GatewayFaultError.foreignGroup(id)) { _ = try logs.merge(foreign) }
        #expect(logs[id] == nil)
        #expect(logs.disclose(.foreignGroup(id)))
        #expect(logs.disclose(.foreignGroup(id)) == false)
        #expect(logs.disclose(.foreignGroup(.random())))
    }

    @Test("what an earlier version has believed and cannot be so is believed no more, and told once")
    func keptFault() {
        var entry = FollowedConversation(id)
        entry.object = group(id, [Self.bob, Self.carol])
        let logs = logs()
        logs.load(entry.kept(own: Self.bob))
        #expect(logs[id]?.object == nil)
        #expect(logs.removeLoadedFaults() == [.foreignGroup(id)])
        #expect(logs.removeLoadedFaults().isEmpty)
    }

    @Test("whoever leaves is told once, and what was only asked for is unsubscribed from without a word")
    func removed() throws {
        let logs = try settled()
        #expect(logs.listed == [id] && logs.cursors[id] == SyncRequest.Cursor(epoch: "e", seq: 3))
        #expect(logs.remove(id) == .left(wasSeen: true))
        #expect(logs.remove(id) == .none)
        #expect(logs.listed.isEmpty && logs.cursors.isEmpty)
        logs.follow(id)
        #expect(logs.remove(id) == .unfollowed)
        #expect(logs[id]?.membership == .former(wasOpen: true))
        let unknown = ConversationID.random()
        logs.follow(unknown)
        #expect(logs.remove(unknown) == .left(wasSeen: false))
    }

    @Test("where only some conversations are followed, others are known and not heard until they are asked for")
    func some() throws {
        let logs = logs(.only([]))
        let merge = try logs.merge(group(id, lastSeq: 5))
        #expect(merge.isAdded && !merge.isNewlyFollowed && logs.isSettled)
        #expect(logs.receive(record(5, in: id)) == .ignored)
        #expect(logs.nextToFetch(now: .now) == nil)
        logs.follow(id)
        let again = try logs.merge(group(id, lastSeq: 5))
        #expect(!again.isNewlyFollowed && !logs.isSettled && logs.nextToFetch(now: .now) == id)
    }

    @Test("a record in its turn is delivered, one that came early has what is missing fetched")
    func received() throws {
        let logs = try settled()
        #expect(logs.isSettled && logs.isDelivered)
        #expect(logs.receive(record(4, in: id)) == .received(isPageMissing: false))
        #expect(!logs.isDelivered && !logs.isSettled)
        #expect(logs.beginDelivery() == id)
        logs.update(id) { $0.log.advance(by: 1) }
        #expect(!logs.isDelivered)
        #expect(logs.endDelivery(of: id) && logs.isDelivered)
        #expect(logs.beginDelivery() == nil)
        #expect(logs.receive(record(6, in: id)) == .received(isPageMissing: true))
        #expect(logs.nextToFetch(now: .now) == id && !logs.isSettled && logs.isDelivered)
        #expect(logs.receive(record(1, in: .random())) == .ignored)
    }

    @Test("a record of an epoch that is over is nobody's, one of an unknown epoch asks which one stands")
    func epochs() throws {
        let logs = try settled()
        logs.update(id) { $0.begin(epoch: "f", own: Self.alice) }
        logs.update(id) { entry in
            _ = entry.log.merge(.init(epoch: "f", lastSeq: 0, records: []), for: .newest)
        }
        #expect(logs.receive(record(4, in: id)) == .ignored)
        #expect(logs[id]?.log.want == nil)
        #expect(logs.receive(record(4, in: id, epoch: "g")) == .received(isPageMissing: true))
    }

    @Test("what failed to be fetched waits, and is fetched at once on a new connection")
    func pauses() throws {
        let logs = logs()
        _ = try logs.merge(group(id, lastSeq: 3))
        let now = ContinuousClock.now
        logs.update(id) { $0.notBefore = now + .seconds(9) }
        #expect(logs.nextToFetch(now: now) == nil && logs.nextFetchTime == now + .seconds(9))
        #expect(logs.nextToFetch(now: now + .seconds(9)) == id)
        logs.markConnected()
        #expect(logs.nextToFetch(now: now) == id && logs.nextFetchTime == nil)
    }

    @Test("what could not be opened is had again by whose keys may open it, once")
    func unopened() {
        let logs = logs()
        let sealed = MessageRecord.sample(1, in: id, by: device("bob/phone"), sealed: [1])
        logs.unopened.record([KeptMessage(record: sealed), KeptMessage(record: record(2, in: id))])
        #expect(logs.unopened.senders == [Self.bob])
        let own = device("alice/phone")
        #expect(logs.unopened.remove(of: Self.carol, own: own).isEmpty)
        #expect(logs.unopened.remove(of: Self.bob, own: own).map(\.id) == [sealed.id])
        #expect(logs.unopened.remove(of: Self.bob, own: own).isEmpty && logs.unopened.senders.isEmpty)
    }
}
