import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

@testable import ParleyClient

@Suite("Trust in others' keys")
struct PeerKeyBookTests {
    private let keys: TestKeys
    private let bob = UserID(validated: "bob")
    private let owner = device("alice/phone")
    private let phone = device("bob/phone")
    private let laptop = device("bob/laptop")

    init() throws { keys = try TestKeys() }

    /// A book in which Bob's devices were listed like that, one listing after the other.
    private func book(_ listings: [(String, Int)]...) -> PeerKeyBook {
        var book = PeerKeyBook(of: owner)
        for listing in listings { _ = update(&book, listing) }
        return book
    }

    private func update(_ book: inout PeerKeyBook, _ listing: [(String, Int)], at time: Int64 = 0) -> [PeerKeyNotice] {
        book.update(
            bob, with: listing.map { published($0.0, keys[$0.1]) }, now: Timestamp(milliseconds: time))
    }

    private func recipients(_ book: PeerKeyBook) -> [DeviceAddress: IdentityKey] {
        Dictionary(uniqueKeysWithValues: book.recipients(of: [bob], besides: owner).map { ($0.device, $0.key) })
    }

    // MARK: First use

    @Test("the devices that are there at first use are pinned, and are no news")
    func firstUse() {
        var book = PeerKeyBook(of: owner)
        #expect(!book.isKnown(bob))
        #expect(update(&book, [("phone", 0), ("laptop", 1)]).isEmpty)
        #expect(book.isKnown(bob))
        #expect(recipients(book) == [phone: keys[0], laptop: keys[1]])
        #expect(book.blocked(for: [bob]).isEmpty)
        #expect(update(&book, [("phone", 0), ("laptop", 1)]).isEmpty)
    }

    @Test("a user without devices is known, and the first device is news then")
    func firstUseOfNothing() {
        var book = PeerKeyBook(of: owner)
        #expect(update(&book, []).isEmpty)
        #expect(book.isKnown(bob))
        #expect(update(&book, [("phone", 0)]) == [.added(phone)])
        #expect(book.blocked(for: [bob]).isEmpty)
    }

    @Test("a device that is added later is an event, and does not block")
    func added() {
        var book = book([("phone", 0)])
        #expect(update(&book, [("phone", 0), ("laptop", 1)]) == [.added(laptop)])
        #expect(recipients(book) == [phone: keys[0], laptop: keys[1]])
        #expect(book.blocked(for: [bob]).isEmpty)
        #expect(update(&book, [("phone", 0), ("laptop", 1)]).isEmpty)
    }

    @Test("a device added to one's own user is an event as well; this device is no peer of its own")
    func ownDevices() {
        var book = PeerKeyBook(of: owner)
        let alice = owner.user
        #expect(book.update(alice, with: [published("phone", keys[0])], now: .earliest).isEmpty)
        let listing = [published("phone", keys[1]), published("tablet", keys[2])]
        #expect(book.update(alice, with: listing, now: .earliest) == [.added(device("alice/tablet"))])
        #expect(book.recipients(of: [alice], besides: owner).map(\.device) == [device("alice/tablet")])
        #expect(book.blocked(for: [alice]).isEmpty)
        #expect(book.knownKeys(of: owner).isEmpty)
    }

    // MARK: A changed key

    @Test("a changed key keeps the pinned one, and blocks its user until it is accepted")
    func changed() {
        var book = book([("phone", 0), ("laptop", 1)])
        #expect(
            update(&book, [("phone", 2), ("laptop", 1)]) == [.changed(phone, from: keys[0], to: keys[2])])
        #expect(book.blocked(for: [bob]) == [phone])
        #expect(book.isPending(phone) && !book.isPending(laptop) && book.isAnyPending)
        #expect(recipients(book) == [phone: keys[0], laptop: keys[1]])
        #expect(book.knownKeys(of: phone) == [keys[0]])
        #expect(Set(book.presentedKeys(of: bob).map(\.key)) == [keys[1], keys[2]])
        // The same listing again is no news, and blocks on.
        #expect(update(&book, [("phone", 2), ("laptop", 1)]).isEmpty)
        #expect(book.blocked(for: [bob]) == [phone])

        #expect(book.accept(bob) == [.accepted(phone, keys[2])])
        #expect(book.blocked(for: [bob]).isEmpty && !book.isPending(phone) && !book.isAnyPending)
        #expect(recipients(book) == [phone: keys[2], laptop: keys[1]])
        #expect(book.knownKeys(of: phone) == [keys[2], keys[0]])
        #expect(book.accept(bob).isEmpty)
        #expect(update(&book, [("phone", 2), ("laptop", 1)]).isEmpty)
    }

    @Test("only the user whose device has changed is blocked")
    func othersAreFree() {
        var book = book([("phone", 0)], [("phone", 1)])
        let carol = UserID(validated: "carol")
        _ = book.update(carol, with: [published("phone", keys[2])], now: .earliest)
        #expect(book.blocked(for: [carol]).isEmpty)
        #expect(book.blocked(for: [carol, bob]) == [phone])
        #expect(book.accept(carol).isEmpty)
        #expect(book.blocked(for: [bob]) == [phone])
    }

    @Test("a key that returns to the pinned one waits no longer")
    func returned() {
        var book = book([("phone", 0)], [("phone", 1)])
        #expect(update(&book, [("phone", 0)]).isEmpty)
        #expect(book.blocked(for: [bob]).isEmpty)
        #expect(book == self.book([("phone", 0)]))
        #expect(book.accept(bob).isEmpty)
        #expect(recipients(book) == [phone: keys[0]])
    }

    @Test("of several changes the last one waits")
    func changedAgain() {
        var book = book([("phone", 0)], [("phone", 1)])
        #expect(update(&book, [("phone", 2)]) == [.changed(phone, from: keys[0], to: keys[2])])
        #expect(book.accept(bob) == [.accepted(phone, keys[2])])
        #expect(book.knownKeys(of: phone) == [keys[2], keys[0]])
    }

    @Test("a key that was trusted before is a changed one when it comes back")
    func backToAnOlderOne() {
        var book = book([("phone", 0)], [("phone", 1)])
        _ = book.accept(bob)
        #expect(update(&book, [("phone", 0)]) == [.changed(phone, from: keys[1], to: keys[0])])
        #expect(book.blocked(for: [bob]) == [phone])
        _ = book.accept(bob)
        #expect(book.knownKeys(of: phone) == [keys[0], keys[1]])
    }

    @Test("of the keys that were trusted before the newest eight open old messages")
    func boundedOlderKeys() {
        var book = book([("phone", 0)])
        for key in 1...12 {
            _ = update(&book, [("phone", key)])
            _ = book.accept(bob)
        }
        #expect(book.knownKeys(of: phone) == (4...12).reversed().map { keys[$0] })
    }

    // MARK: Removed devices

    @Test("a removed device gets nothing, and what it has sent can still be opened")
    func removed() {
        var book = book([("phone", 0), ("laptop", 1)])
        #expect(update(&book, [("laptop", 1)]) == [.removed(phone)])
        #expect(recipients(book) == [laptop: keys[1]])
        #expect(book.knownKeys(of: phone) == [keys[0]])
        #expect(update(&book, [("laptop", 1)]).isEmpty)
    }

    @Test("a removed device that comes back with its key is added; with another one it has changed")
    func back() {
        var same = book([("phone", 0), ("laptop", 1)], [("laptop", 1)])
        #expect(update(&same, [("phone", 0), ("laptop", 1)]) == [.added(phone)])
        #expect(same.blocked(for: [bob]).isEmpty)

        var other = book([("phone", 0), ("laptop", 1)], [("laptop", 1)])
        #expect(
            update(&other, [("phone", 2), ("laptop", 1)]) == [.changed(phone, from: keys[0], to: keys[2])])
        #expect(other.blocked(for: [bob]) == [phone])
        #expect(recipients(other)[phone] == keys[0])
    }

    @Test("a device that is removed while its changed key waits blocks nobody, and has changed when it is back")
    func removedWhileWaiting() {
        var book = book([("phone", 0)], [("phone", 1)])
        #expect(update(&book, []) == [.removed(phone)])
        #expect(book.blocked(for: [bob]).isEmpty)
        #expect(book.accept(bob).isEmpty)
        #expect(update(&book, [("phone", 1)]) == [.changed(phone, from: keys[0], to: keys[1])])
    }

    @Test("of removed devices 128 are remembered, those removed last")
    func boundedRemoved() {
        var book = PeerKeyBook(of: owner)
        for index in 0..<200 { _ = update(&book, [("device-\(index)", index % 32)], at: Int64(index)) }
        let remembered = (0..<200).filter { !book.knownKeys(of: device("bob/device-\($0)")).isEmpty }
        #expect(remembered == Array(71..<200))
    }

    // MARK: Keys that are not used

    @Test("keys that are weak or wrongly signed are not used, and are named", arguments: Fault.allCases)
    func invalid(fault: Fault) throws {
        var book = PeerKeyBook(of: owner)
        let bad = try fault.listing("phone", of: bob)
        #expect(book.update(bob, with: [bad], now: .earliest) == [.invalid(phone, fault.reason)])
        #expect(recipients(book).isEmpty)
        #expect(book.unusable(of: [bob]) == [phone])
        #expect(book.knownKeys(of: phone).isEmpty)
        // It is said once.
        #expect(book.update(bob, with: [bad], now: .earliest).isEmpty)
        #expect(update(&book, [("phone", 0)]) == [.added(phone)])
        #expect(book.unusable(of: [bob]).isEmpty)
    }

    @Test("of a known device whose keys are bad now the pinned key stays in use", arguments: Fault.allCases)
    func invalidAfterwards(fault: Fault) throws {
        var book = book([("phone", 0)])
        let bad = try fault.listing("phone", of: bob)
        #expect(book.update(bob, with: [bad], now: .earliest) == [.invalid(phone, fault.reason)])
        #expect(recipients(book) == [phone: keys[0]])
        #expect(book.unusable(of: [bob]).isEmpty)
        #expect(book.blocked(for: [bob]).isEmpty)
        #expect(update(&book, [("phone", 0)]).isEmpty)
    }

    @Test("keys with a good signature are taken, and only for the device that signed them")
    func signed() throws {
        let signed = try DeviceKeySet.generate(for: phone).listed()
        var book = PeerKeyBook(of: owner)
        #expect(book.update(bob, with: [signed], now: .earliest).isEmpty)
        #expect(recipients(book).values.map(\.bytes) == [signed.identityKey])
        let carol = UserID(validated: "carol")
        #expect(
            book.update(carol, with: [signed], now: .earliest) == [.invalid(device("carol/phone"), .badSignature)])
    }

    @Test("of a listing that is too long no more devices are looked at than a message can be sealed for")
    func longListing() {
        var book = PeerKeyBook(of: owner)
        let listing = (0..<5000).map { ("device-\($0)", $0 % 32) }
        #expect(update(&book, listing).isEmpty)
        #expect(book.recipients(of: [bob], besides: owner).count == Limits.recipientKeys)
    }

    @Test("one device listed twice with different keys has changed")
    func listedTwice() {
        var book = book([("phone", 0)])
        #expect(
            update(&book, [("phone", 0), ("phone", 1)]) == [.changed(phone, from: keys[0], to: keys[1])])
    }

    // MARK: What another process has changed

    @Test("what happened between two states of a book is told like each step of it")
    func noticesSince() {
        let before = book([("phone", 0), ("laptop", 1)])
        var after = before
        #expect(after.notices(since: before).isEmpty)
        let changed = update(&after, [("phone", 2), ("tablet", 3)])
        #expect(
            changed == [
                .removed(laptop), .changed(phone, from: keys[0], to: keys[2]), .added(device("bob/tablet")),
            ])
        #expect(after.notices(since: before) == changed)
        var accepted = after
        _ = accepted.accept(bob)
        #expect(accepted.notices(since: after) == [.accepted(phone, keys[2])])
        #expect(after.notices(since: PeerKeyBook(of: owner)) == [.changed(phone, from: keys[0], to: keys[2])])
    }
}

/// What can be wrong with published keys.
enum Fault: CaseIterable {
    case lowOrder, tooShort, signedByAnother, signatureOfAnotherDevice, signatureWithoutKey, signingKeyTooShort

    var reason: PeerKeyFault {
        switch self {
        case .lowOrder, .tooShort: .weakKey
        case .signedByAnother, .signatureOfAnotherDevice, .signatureWithoutKey, .signingKeyTooShort: .badSignature
        }
    }

    func listing(_ device: String, of user: UserID) throws -> DeviceKeys {
        let address = DeviceAddress(user: user, device: DeviceID(validated: device))
        let good = try DeviceKeySet.generate(for: address).listed()
        let other = try DeviceKeySet.generate(for: address).listed()
        let elsewhere = try DeviceKeySet.generate(for: DeviceAddress(user: user, device: DeviceID(validated: "else")))
        func with(_ identity: [UInt8]? = nil, signing: [UInt8]?, _ signature: [UInt8]?) -> DeviceKeys {
            DeviceKeys(
                device: address.device, identityKey: identity ?? good.identityKey, signingKey: signing,
                signature: signature, createdAt: good.createdAt)
        }
        return switch self {
        case .lowOrder: with([UInt8](repeating: 0, count: 32), signing: nil, nil)
        case .tooShort: with(good.identityKey.dropLast(), signing: nil, nil)
        case .signedByAnother: with(signing: other.signingKey, good.signature)
        case .signatureOfAnotherDevice: try elsewhere.listed(as: address.device)
        case .signatureWithoutKey: with(signing: nil, good.signature)
        case .signingKeyTooShort: with(signing: good.signingKey?.dropLast(), good.signature)
        }
    }
}

extension DeviceKeySet {
    /// What a gateway lists after these keys were published.
    func listed(as device: DeviceID? = nil) throws -> DeviceKeys {
        let publication = try publication()
        return DeviceKeys(
            device: device ?? self.device.device, identityKey: publication.identityKey,
            signingKey: publication.signingKey, signature: publication.signature,
            certificate: publication.proof?.certificate, createdAt: Timestamp(milliseconds: 0))
    }
}
