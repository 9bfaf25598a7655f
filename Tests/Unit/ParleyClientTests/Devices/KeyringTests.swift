import TestSupport
import ParleyCrypto
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("The keys that a client works with")
struct KeyringTests {
    private let position: TemporaryDirectory
    private let alice: DeviceAddress
    private let bob: DeviceAddress
    private let keys: TestKeys
    private let now = ContinuousClock.now

    init() throws {
        position = try TemporaryDirectory()
        alice = device("alice/phone")
        bob = device("bob/phone")
        keys = try TestKeys()
    }

    private func keyring(of device: DeviceAddress) throws -> Keyring {
        let own = try DeviceKeySet.generate(for: device)
        return Keyring(own: own, peers: try PeerKeys(in: position.directory(of: device), storageKey: own.storageKey))
    }

    /// What the gateway lists of a device.
    private func listed(_ keyring: Keyring) -> UserKeys {
        let own = keyring.own
        return listing(own.device.user.text, [published(own.device.device.text, own.identityKey)])
    }

    private func draft(onlyFor users: [UserID] = []) -> Draft {
        var draft = Draft.sample()
        draft.onlyFor = users
        return draft
    }

    /// A record with what one seals for the other.
    private func record(from one: Keyring, to other: Keyring) throws -> MessageRecord {
        let header = MessageHeader(
            suite: .x25519AESGCM, conversation: .random(), id: .random(), sender: one.own.device, type: .text,
            replyTo: nil, kind: .message, target: nil, expiresIn: nil)
        let sealed = try one.seal(draft().content, header, for: .one(other.own.identityKey))
        return MessageRecord(
            id: header.id, conversation: header.conversation, epoch: "e", seq: 1, sender: one.own.device,
            type: .known(.text), suite: .known(.x25519AESGCM), content: sealed.content, nonce: sealed.nonce,
            createdAt: Timestamp(milliseconds: 0))
    }

    @Test("what is listed of a user for the first time is told as such, counts as fresh, and opens what they have sent")
    func opening() throws {
        let (one, other) = (try keyring(of: alice), try keyring(of: bob))
        let record = try record(from: one, to: other)
        let members = [alice.user, bob.user]
        #expect(other.open(record, among: members) == .failure(.senderKeysUnknown))
        #expect(other.usersWithNewerKeys(for: record, among: members, now: now) == [alice.user])
        let merge = try other.merge(listed(one), now: now)
        #expect(merge.isFirst && merge.notices == [.met(alice.user, hasAccountKey: false)])
        #expect(other.fetchCount(of: alice.user) == 1 && other.freshness.isFresh(alice.user, now: now))
        #expect(other.open(record, among: members) == .success(draft().content))
        #expect(other.usersWithNewerKeys(for: record, among: members, now: now).isEmpty)
        let again = try other.merge(listed(one), now: now)
        #expect(!again.isFirst && again.notices.isEmpty && other.fetchCount(of: alice.user) == 2)
    }

    @Test("what a key that nobody has accepted has sealed is not opened, and that is the reason that is given")
    func changed() throws {
        let (one, other) = (try keyring(of: alice), try keyring(of: bob))
        _ = try other.merge(listing("alice", [published("phone", keys[0])]), now: now)
        let record = try record(from: one, to: other)
        #expect(other.open(record, among: []) == .failure(.notAuthentic))
        _ = try other.merge(listed(one), now: now)
        #expect(other.open(record, among: []) == .failure(.senderKeyChanged))
        // The list is as fresh as can be, and then it may be over.
        #expect(other.usersWithNewerKeys(for: record, among: [], now: now).isEmpty)
        let later = now + KeyFreshness.lifetime
        #expect(other.usersWithNewerKeys(for: record, among: [], now: later) == [alice.user])
        #expect(other.book.heldUser(among: [alice.user, bob.user], isDirect: true) == alice.user)
        let shown = try #require(other.book.presented(of: alice.user))
        let outcome = try other.accept(shown)
        #expect(outcome.refusal == nil && outcome.notices == [.accepted(alice.user)])
        #expect(other.book.heldUser(among: [alice.user, bob.user], isDirect: true) == nil)
        #expect(other.open(record, among: []) == .success(draft().content))
    }

    @Test("a group waits for nobody's key as long as anybody else would get what is sent")
    func heldInGroup() throws {
        let ring = try keyring(of: alice)
        for user in ["bob", "carol"] { _ = try ring.merge(listing(user, [published("phone", keys[0])]), now: now) }
        let members = ["alice", "bob", "carol"].map { UserID(validated: $0) }
        _ = try ring.merge(listing("bob", [published("phone", keys[1])]), now: now)
        #expect(ring.book.heldUser(among: members, isDirect: false) == nil)
        _ = try ring.merge(listing("carol", [published("phone", keys[1])]), now: now)
        #expect(ring.book.heldUser(among: members, isDirect: false) == UserID(validated: "bob"))
    }

    @Test("a device without the account key leaves its own user's others out, and a draft those whom it is not for")
    func recipients() throws {
        let ring = try keyring(of: alice)
        for user in ["alice", "bob", "carol"] {
            _ = try ring.merge(listing(user, [published("laptop", keys[0])]), now: now)
        }
        let members = ["alice", "bob", "carol"].map { UserID(validated: $0) }
        let all = ring.recipients(of: draft(), among: members)
        #expect(all.sealed.map(\.device) == [device("bob/laptop"), device("carol/laptop")])
        #expect(all.leftOut.map(\.device) == [device("alice/laptop")])
        let only = ring.recipients(of: draft(onlyFor: [bob.user]), among: members)
        #expect(only.sealed.map(\.device) == [device("bob/laptop")])
        #expect(only.leftOut.map(\.device) == [device("alice/laptop"), device("carol/laptop")])
    }

    @Test("one at a time fetches a user's keys")
    func fetches() throws {
        let ring = try keyring(of: alice)
        #expect(ring.beginFetch(of: bob.user))
        #expect(ring.beginFetch(of: bob.user) == false)
        #expect(ring.beginFetch(of: alice.user))
        #expect(ring.isFetching(bob.user))
        ring.endFetch(of: bob.user)
        #expect(!ring.isFetching(bob.user) && ring.beginFetch(of: bob.user))
    }

    @Test("what concerns the device itself is told once")
    func disclosed() throws {
        let ring = try keyring(of: alice)
        #expect(ring.disclose(.thisDeviceNotLinked(alice)))
        #expect(ring.disclose(.thisDeviceNotLinked(alice)) == false)
        #expect(ring.disclose(.ownAccountKeyRefused(alice.user)))
    }

    @Test("an approval counts once, for the offer that stands and this device alone; what was forged is refused")
    func linking() throws {
        let account = try AccountSecret.generate()
        let own = try DeviceKeySet.generate(for: alice)
        func offer() throws -> OpenLink {
            let pair = try LinkKeyPair.generate()
            return OpenLink(
                keys: pair,
                offer: LinkOffer(
                    identityKey: own.identityKey.bytes, signingKey: own.signingPublicKey, linkKey: pair.publicKey))
        }
        func approval(of device: DeviceAddress, for link: OpenLink) throws -> LinkApproval {
            LinkApproval(
                device: device.device,
                certificate: try account.certify(
                    device, identityKey: own.identityKey.bytes, signingKey: own.signingPublicKey,
                    at: Timestamp(milliseconds: 1)), sealed: try account.sealed(for: link.offer.linkKey))
        }
        let (first, second) = (try offer(), try offer())
        let good = try approval(of: alice, for: second)
        var link = LinkProgress.none
        #expect(on(&link) { $0.handOver(good, to: alice) } == false)
        link.offer(first)
        link.offer(second)
        let other = try approval(of: device("alice/tv"), for: second)
        #expect(on(&link) { $0.handOver(other, to: alice) } == false)
        #expect(link.handedAccount == nil)
        var forged = link
        let late = try approval(of: alice, for: first)
        #expect(on(&forged) { $0.handOver(late, to: alice) })
        guard case .failure(.account(.forgedApproval))? = forged.handedAccount else {
            throw UnexpectedError("not refused")
        }
        #expect(on(&link) { $0.handOver(good, to: alice) })
        #expect(on(&link) { $0.handOver(good, to: alice) } == false)
        #expect(try link.handedAccount?.get().account.publicKey == account.publicKey)
        link.close()
        #expect(link.handedAccount == nil)
    }
}
