import ParleyCrypto
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Trust in users without an account key")
struct DevicePinTests {
    private let f: BookFixture

    init() throws { f = try BookFixture() }

    /// A listing, and what it leads to: which of its devices are left out, and what is told.
    struct Step {
        let listed: [(String, Int)]
        let leftOut: [String]
        let told: [PeerKeyNotice]

        init(_ listed: [(String, Int)], without leftOut: [String] = [], told: [PeerKeyNotice] = []) {
            (self.listed, self.leftOut, self.told) = (listed, leftOut, told)
        }
    }

    private static let bob = UserID(validated: "bob")
    private static let phone = device("bob/phone")

    private static let histories: [[Step]] = [
        // The devices of the first listing are pinned; what follows is held.
        [
            Step([("phone", 0), ("laptop", 1)], told: [.met(bob, hasAccountKey: false)]),
            Step([("phone", 0), ("laptop", 1)]),
            Step(
                [("phone", 0), ("laptop", 1), ("tv", 2)], without: ["tv"],
                told: [.deviceHeld(device("bob/tv"), isNew: true)]),
            Step([("phone", 3), ("laptop", 1)], without: ["phone"], told: [.deviceHeld(phone, isNew: false)]),
            Step([("phone", 3), ("laptop", 1)], without: ["phone"]),
            Step([("phone", 4), ("laptop", 1)], without: ["phone"], told: [.deviceHeld(phone, isNew: false)]),
            Step([("phone", 0), ("laptop", 1)]),
        ],
        // A removed device comes back with its key, or is held.
        [
            Step([("phone", 0), ("laptop", 1)], told: [.met(bob, hasAccountKey: false)]),
            Step([("laptop", 1)], told: [.deviceRemoved(phone)]),
            Step([("laptop", 1), ("phone", 2)], without: ["phone"], told: [.deviceHeld(phone, isNew: false)]),
            Step([("laptop", 1)]),
            Step([("laptop", 1), ("phone", 0)], told: [.deviceAdded(phone)]),
        ],
        // A user without devices is not met yet.
        [
            Step([]),
            Step([("phone", 0)], told: [.met(bob, hasAccountKey: false)]),
            Step([], told: [.deviceRemoved(phone)]),
            Step([("phone", 1)], without: ["phone"], told: [.deviceHeld(phone, isNew: false)]),
        ],
        // A device that is listed twice with different keys is neither.
        [
            Step([("phone", 0)], told: [.met(bob, hasAccountKey: false)]),
            Step([("phone", 0), ("phone", 1)], without: ["phone"], told: [.deviceIgnored(phone, .listedTwice)]),
        ],
    ]

    @Test(
        "the devices of the first listing are pinned, and one added or changed later is held",
        arguments: histories.indices)
    func history(number: Int) {
        var book = PeerKeyBook(of: f.owner)
        for step in DevicePinTests.histories[number] {
            #expect(book.update(with: f.bare(step.listed)) == step.told)
            let expected = step.listed.filter { !step.leftOut.contains($0.0) }
                .map { (device("bob/\($0.0)"), f.keys[$0.1]) }
            #expect(f.sealed(book) == Dictionary(uniqueKeysWithValues: expected))
            #expect(f.leftOut(book).map(\.device.text) == step.leftOut.sorted())
            #expect(book.isHeld(f.bob) == step.told.contains(where: \.asksToAccept) || step.told.isEmpty)
        }
    }

    @Test("accepting pins what was shown, and the keys before it open what was sent before")
    func accepting() throws {
        var book = f.book(f.bare([("phone", 0)]), f.bare([("phone", 1), ("laptop", 2)]))
        #expect(book.isHeld(f.bob) && book.isHeld(f.phone) && book.isHeld(f.laptop))
        let shown = try #require(book.presented(of: f.bob))
        #expect(shown.keys == .devices([f.phone.device: f.keys[1], f.laptop.device: f.keys[2]]))
        _ = book.update(with: f.bare([("phone", 1), ("laptop", 3)]))
        #expect(throws: KeyAcceptanceError.changed(f.bob)) { try book.accept(shown) }
        _ = book.update(with: f.bare([("phone", 1), ("laptop", 2)]))
        #expect(try book.accept(shown) == [.accepted(f.bob)])
        #expect(f.sealed(book) == [f.phone: f.keys[1], f.laptop: f.keys[2]])
        #expect(book.knownKeys(of: f.phone) == [f.keys[1], f.keys[0]])
        #expect(!book.isPending(f.bob))
        #expect(try book.accept(shown).isEmpty)
    }

    @Test("only the user whose device has changed is held")
    func othersAreFree() throws {
        var book = f.book(f.bare([("phone", 0)]), f.bare([("phone", 1)]))
        _ = book.update(with: listing("carol", [published("phone", f.keys[2])]))
        #expect(book.isHeld(f.bob) && !book.isHeld(UserID(validated: "carol")))
        let carol = try #require(book.presented(of: UserID(validated: "carol")))
        #expect(try book.accept(carol).isEmpty)
        #expect(book.isHeld(f.bob))
    }

    @Test("an account key that appears waits to be accepted; meanwhile the pinned devices go on if they are the same")
    func appeared() throws {
        var book = f.book(f.bare([("phone", 0)]))
        let appeared = try f.certified([("phone", 0, 1)], by: f.account)
        #expect(book.update(with: appeared) == [.accountKeyAppeared(f.bob)])
        #expect(f.sealed(book) == [f.phone: f.keys[0]])
        #expect(book.isPending(f.bob) && !book.isHeld(f.bob))
        #expect(book.update(with: appeared).isEmpty)
        // It certifies another device before anybody has accepted it.
        let more = try f.certified([("phone", 0, 1), ("laptop", 1, 1)], by: f.account)
        #expect(book.update(with: more) == [.deviceHeld(f.laptop, isNew: true)])
        #expect(f.sealed(book) == [f.phone: f.keys[0]] && book.isHeld(f.bob))
        #expect(try f.accept(&book) == [.accepted(f.bob)])
        #expect(f.sealed(book) == [f.phone: f.keys[0], f.laptop: f.keys[1]])
        #expect(book.accountKey(of: f.bob) == f.account.key && !book.isVerified(f.bob))
    }

    @Test("an account key that was accepted leaves out the devices that it does not certify")
    func appearedWithout() throws {
        var book = f.book(f.bare([("phone", 0), ("laptop", 1)]))
        let mixed = listing(
            "bob", account: f.account.key,
            [published("laptop", f.keys[1])] + (try f.certified([("phone", 0, 1)], by: f.account).devices))
        _ = book.update(with: mixed)
        #expect(f.sealed(book).count == 2)
        #expect(try f.accept(&book) == [.accepted(f.bob), .deviceIgnored(f.laptop, .uncertified)])
        #expect(f.sealed(book) == [f.phone: f.keys[0]])
    }

    @Test("of the keys that were trusted before the newest eight open old messages")
    func boundedOlderKeys() throws {
        var book = f.book(f.bare([("phone", 0)]))
        for key in 1...12 {
            _ = book.update(with: f.bare([("phone", key)]))
            _ = try f.accept(&book)
        }
        #expect(book.knownKeys(of: f.phone) == (4...12).reversed().map { f.keys[$0] })
    }

    @Test("keys that are weak or wrongly signed are not used, and are named", arguments: Fault.allCases)
    func invalid(fault: Fault) throws {
        var book = PeerKeyBook(of: f.owner)
        let bad = listing("bob", [try fault.listing("phone", of: f.bob)])
        #expect(book.update(with: bad) == [.deviceIgnored(f.phone, fault.reason)])
        #expect(f.sealed(book).isEmpty && f.leftOut(book) == [f.phone])
        #expect(book.fault(of: f.phone) == fault.reason)
        #expect(book.update(with: bad).isEmpty, "it is said once")
        #expect(book.update(with: f.bare([("phone", 0)])) == [.met(f.bob, hasAccountKey: false)])
        // Of a device that is known nothing else is taken for its key.
        #expect(book.update(with: bad) == [.deviceIgnored(f.phone, fault.reason)])
        #expect(f.sealed(book).isEmpty && book.knownKeys(of: f.phone) == [f.keys[0]])
    }

    @Test("keys with a good signature are taken, and only for the device that signed them")
    func signed() throws {
        let signed = try DeviceKeySet.generate(for: f.phone).listed()
        var book = PeerKeyBook(of: f.owner)
        _ = book.update(with: listing("bob", [signed]))
        #expect(f.sealed(book).values.map(\.bytes) == [signed.identityKey])
        #expect(
            book.update(with: listing("carol", [signed])) == [.deviceIgnored(device("carol/phone"), .badSignature)])
    }

    @Test("of a listing that is too long no more devices are looked at than a message can be sealed for")
    func longListing() {
        let book = f.book(f.bare((0..<5000).map { ("device-\($0)", $0 % 32) }))
        #expect(f.sealed(book).count == Limits.recipientKeys)
    }

    @Test("what happened between two states of a book is told like each step of it")
    func noticesSince() throws {
        let before = f.book(f.bare([("phone", 0), ("laptop", 1)]))
        var after = before
        #expect(after.notices(since: before).isEmpty)
        let changed = after.update(with: f.bare([("phone", 2), ("tablet", 3)]))
        #expect(
            changed == [
                .deviceRemoved(f.laptop), .deviceHeld(f.phone, isNew: false),
                .deviceHeld(device("bob/tablet"), isNew: true),
            ])
        #expect(after.notices(since: before) == changed)
        var accepted = after
        _ = try f.accept(&accepted)
        #expect(accepted.notices(since: after) == [.accepted(f.bob)])
        #expect(before.notices(since: PeerKeyBook(of: f.owner)) == [.met(f.bob, hasAccountKey: false)])
    }

    @Test("every notice is one plain sentence, and says whose keys it is about")
    func sentences() {
        let bob = f.bob, phone = f.phone
        let notices: [PeerKeyNotice] =
            [
                .met(bob, hasAccountKey: true), .deviceAdded(phone), .deviceRenewed(phone), .deviceRemoved(phone),
                .deviceHeld(phone, isNew: true), .deviceHeld(phone, isNew: false), .ownDeviceNotLinked(phone),
                .accountKeyChanged(bob, wasVerified: true), .accountKeyGone(bob, wasVerified: false),
                .accountKeyAppeared(bob), .accepted(bob), .verified(bob), .ownDeviceMade(phone),
                .thisDeviceNotLinked(phone), .ownAccountKeyRefused(bob),
            ] + UnusableKeyError.allCases.map { .deviceIgnored(phone, $0) }
        for notice in notices {
            #expect(notice.user == bob)
            #expect(notice.description.contains("bob") && !notice.description.contains("\n"))
            #expect(notice.description.last != ".")
        }
        #expect(Set(notices.map(\.description)).count == notices.count)
    }
}

/// What can be wrong with published keys.
enum Fault: CaseIterable {
    case lowOrder, tooShort, signedByAnother, signatureOfAnotherDevice, signatureWithoutKey, signingKeyTooShort

    var reason: UnusableKeyError {
        switch self {
        case .lowOrder, .tooShort: .weakKey
        case .signedByAnother, .signatureOfAnotherDevice, .signatureWithoutKey, .signingKeyTooShort: .badSignature
        }
    }

    static func badSignature(of device: String, _ user: UserID) throws -> DeviceKeys {
        try signedByAnother.listing(device, of: user)
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
