import ParleyCrypto
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Trust in one's own other devices")
struct OwnDevicesTests {
    private let f: BookFixture
    private let alice = UserID(validated: "alice")
    private let tablet = device("alice/tablet")

    init() throws { f = try BookFixture() }

    @Test("the account key that this device holds counts, whatever was listed first; an unlinked device is told loudly")
    func holder() throws {
        var book = PeerKeyBook(of: f.owner)
        // Before it was linked: what was listed first.
        let fake = listing("alice", account: f.other.key, [try f.other.certified(tablet, f.keys[5], at: 1)])
        #expect(book.update(with: fake) == [.deviceAdded(tablet)])
        #expect(book.adoptOwn(f.account.key).isEmpty)
        #expect(book.recipients(of: [alice], besides: f.owner) == PeerRecipients())
        #expect(book.update(with: fake) == [.ownAccountKeyRefused(alice)])
        #expect(book.recipients(of: [alice], besides: f.owner).sealed.isEmpty)

        let ghost = listing(
            "alice", account: f.account.key,
            [
                published("phone", f.keys[9]), try f.account.certified(tablet, f.keys[1], at: 1),
                published("tv", f.keys[2]),
            ])
        #expect(book.update(with: ghost) == [.deviceRenewed(tablet), .ownDeviceNotLinked(device("alice/tv"))])
        let recipients = book.recipients(of: [alice], besides: f.owner)
        #expect(recipients.sealed.map(\.device) == [tablet] && recipients.leftOut.map(\.device) == [device("alice/tv")])
        #expect(book.knownKeys(of: f.owner).isEmpty, "this device is no peer of its own")
        #expect(book.update(with: ghost).isEmpty)
        #expect(book.adoptOwn(f.account.key).isEmpty && book.isKnown(alice))
    }

    @Test("devices that were pinned before there was an account key are left out until they are linked")
    func upgraded() throws {
        var book = PeerKeyBook(of: f.owner)
        #expect(book.update(with: listing("alice", [published("tablet", f.keys[0])])) == [.deviceAdded(tablet)])
        _ = book.adoptOwn(f.account.key)
        let unlinked = listing("alice", account: f.account.key, [published("tablet", f.keys[0])])
        #expect(book.update(with: unlinked) == [.ownDeviceNotLinked(tablet)])
        #expect(book.recipients(of: [alice], besides: f.owner).sealed.isEmpty)
        #expect(book.knownKeys(of: tablet) == [f.keys[0]], "what it has sent still opens")
        let linked = listing("alice", account: f.account.key, [try f.account.certified(tablet, f.keys[0], at: 1)])
        #expect(book.update(with: linked) == [.deviceAdded(tablet)])
        #expect(book.recipients(of: [alice], besides: f.owner).sealed.map(\.device) == [tablet])
    }

    @Test("without account keys a device of one's own that is added later is held, and told loudly")
    func withoutAccount() {
        var book = PeerKeyBook(of: f.owner)
        _ = book.update(with: listing("alice", [published("tablet", f.keys[0])]))
        let more = listing("alice", [published("tablet", f.keys[0]), published("tv", f.keys[1])])
        #expect(book.update(with: more) == [.ownDeviceNotLinked(device("alice/tv"))])
        #expect(book.recipients(of: [alice], besides: f.owner).sealed.map(\.device) == [tablet])
    }
}
