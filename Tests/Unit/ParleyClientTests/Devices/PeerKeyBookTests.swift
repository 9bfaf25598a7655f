import ParleyCrypto
import ParleyProtocol
import Testing

@testable import ParleyClient

/// What the tests of a book have in common: Bob's devices, as Alice's phone knows them.
struct BookFixture {
    let keys: TestKeys
    let account: TestAccount
    let other: TestAccount
    let bob = UserID(validated: "bob")
    let owner = device("alice/phone")
    let phone = device("bob/phone")
    let laptop = device("bob/laptop")

    init() throws {
        keys = try TestKeys()
        account = try TestAccount()
        other = try TestAccount()
    }

    /// Devices without certificates, and no account key unless one is named.
    func bare(_ devices: [(String, Int)], under account: TestAccount? = nil) -> UserKeys {
        listing("bob", account: account?.key, devices.map { published($0.0, keys[$0.1]) })
    }

    /// Devices that an account has certified, listed under it or under another.
    func certified(
        _ devices: [(String, Int, Int64)], by account: TestAccount, under listed: TestAccount? = nil
    ) throws -> UserKeys {
        let devices = try devices.map { try account.certified(device("bob/\($0.0)"), keys[$0.1], at: $0.2) }
        return listing("bob", account: (listed ?? account).key, devices)
    }

    func book(_ listings: UserKeys...) -> PeerKeyBook {
        var book = PeerKeyBook(of: owner)
        for listing in listings { _ = book.update(with: listing) }
        return book
    }

    func sealed(_ book: PeerKeyBook) -> [DeviceAddress: IdentityKey] {
        let sealed = book.recipients(of: [bob], besides: owner).sealed
        return Dictionary(uniqueKeysWithValues: sealed.map { ($0.device, $0.key) })
    }

    func leftOut(_ book: PeerKeyBook) -> [DeviceAddress] {
        book.recipients(of: [bob], besides: owner).leftOut.map(\.device)
    }

    /// Accepts what is presented.
    func accept(_ book: inout PeerKeyBook) throws -> [PeerKeyNotice] {
        try book.accept(#require(book.presented(of: bob)))
    }
}

@Suite("Trust in users with an account key")
struct PeerKeyBookTests {
    private let f: BookFixture

    init() throws { f = try BookFixture() }

    @Test("the account key that is listed first is pinned, and only devices that it certifies are sealed for")
    func firstUse() throws {
        var book = PeerKeyBook(of: f.owner)
        #expect(!book.isKnown(f.bob))
        let devices = try f.certified([("phone", 0, 1)], by: f.account).devices + [published("laptop", f.keys[1])]
        let first = listing("bob", account: f.account.key, devices)
        #expect(
            book.update(with: first) == [
                .met(f.bob, hasAccountKey: true), .deviceIgnored(f.laptop, .uncertified),
            ])
        #expect(book.accountKey(of: f.bob) == f.account.key && book.isKnown(f.bob))
        #expect(f.sealed(book) == [f.phone: f.keys[0]])
        #expect(f.leftOut(book) == [f.laptop])
        #expect(!book.isHeld(f.bob) && !book.isPending(f.bob))
        #expect(book.update(with: first).isEmpty)
    }

    @Test("a device more is sealed for if the account key certifies it, and told in either case, once")
    func added() throws {
        var book = f.book(try f.certified([("phone", 0, 1)], by: f.account))
        let two = try f.certified([("phone", 0, 1), ("laptop", 1, 2)], by: f.account)
        #expect(book.update(with: two) == [.deviceAdded(f.laptop)])
        #expect(f.sealed(book) == [f.phone: f.keys[0], f.laptop: f.keys[1]])
        #expect(book.update(with: two).isEmpty)
        let ghost = listing("bob", account: f.account.key, two.devices + [published("tv", f.keys[2])])
        #expect(book.update(with: ghost) == [.deviceIgnored(device("bob/tv"), .uncertified)])
        #expect(f.sealed(book).count == 2 && f.leftOut(book) == [device("bob/tv")])
        #expect(book.update(with: ghost).isEmpty)
    }

    @Test("a certificate by anybody but the pinned account, or of anything but these keys of this device, is none")
    func foreignCertificates() throws {
        let pinned = try f.certified([("phone", 0, 1)], by: f.account)
        let tablet = device("bob/tablet")
        let good = try f.account.certified(tablet, f.keys[2], at: 5)
        let certificate = try #require(good.certificate)
        func with(_ identity: [UInt8], _ signing: [UInt8]?, _ certificate: DeviceCertificate) -> DeviceKeys {
            DeviceKeys(
                device: tablet.device, identityKey: identity, signingKey: signing, signature: nil,
                certificate: certificate, createdAt: good.createdAt)
        }
        let later = Timestamp(milliseconds: 6)
        let forged = [
            try f.other.certified(tablet, f.keys[2], at: 5),
            with(f.keys[3].bytes, good.signingKey, certificate),
            with(good.identityKey, [UInt8](repeating: 8, count: 32), certificate),
            with(good.identityKey, nil, certificate),
            with(
                good.identityKey, good.signingKey, DeviceCertificate(signature: certificate.signature, issuedAt: later)),
            with(
                good.identityKey, good.signingKey,
                DeviceCertificate(signature: certificate.signature.dropLast(), issuedAt: certificate.issuedAt)),
            // Of another user, and of another device.
            try f.account.certified(device("carol/tablet"), f.keys[2], at: 5),
            with(f.keys[0].bytes, pinned.devices[0].signingKey, try #require(pinned.devices[0].certificate)),
        ]
        for device in forged {
            var book = f.book(pinned)
            let notices = book.update(with: listing("bob", account: f.account.key, pinned.devices + [device]))
            #expect(notices == [.deviceIgnored(tablet, .uncertified)])
            #expect(f.sealed(book) == [f.phone: f.keys[0]])
            #expect(book.knownKeys(of: tablet).isEmpty)
        }
        var book = f.book(pinned)
        #expect(
            book.update(with: listing("bob", account: f.account.key, pinned.devices + [good])) == [.deviceAdded(tablet)]
        )
    }

    @Test("a later certificate brings new keys without anybody's accepting, and the old ones open what was sent before")
    func renewed() throws {
        var book = f.book(try f.certified([("phone", 0, 1)], by: f.account))
        #expect(book.update(with: try f.certified([("phone", 1, 2)], by: f.account)) == [.deviceRenewed(f.phone)])
        #expect(f.sealed(book) == [f.phone: f.keys[1]])
        #expect(book.knownKeys(of: f.phone) == [f.keys[1], f.keys[0]])
        #expect(!book.isPending(f.bob))
    }

    @Test(
        "an earlier certificate than was seen never counts, nor another one of the same instant", arguments: [1, 4, 5])
    func outdated(time: Int64) throws {
        var book = f.book(
            try f.certified([("phone", 0, 1)], by: f.account), try f.certified([("phone", 1, 5)], by: f.account))
        let old = try f.certified([("phone", time == 1 ? 0 : 2, time)], by: f.account)
        #expect(book.update(with: old) == [.deviceIgnored(f.phone, .outdated)])
        #expect(f.sealed(book).isEmpty && f.leftOut(book) == [f.phone])
        // Nor after the device was gone.
        _ = book.update(with: try f.certified([], by: f.account))
        #expect(book.update(with: old) == [.deviceIgnored(f.phone, .outdated)])
        #expect(book.update(with: try f.certified([("phone", 1, 5)], by: f.account)) == [.deviceAdded(f.phone)])
        #expect(f.sealed(book) == [f.phone: f.keys[1]])
    }

    @Test("of a device that is listed twice the later certificate counts, in either order")
    func listedTwice() throws {
        for order in [[0, 1], [1, 0]] {
            let two = try f.certified([("phone", 0, 1), ("phone", 1, 2)], by: f.account).devices
            let book = f.book(listing("bob", account: f.account.key, order.map { two[$0] }))
            #expect(f.sealed(book) == [f.phone: f.keys[1]])
        }
    }

    @Test("a removed device gets nothing; what it has sent still opens, and it comes back with the same keys")
    func removed() throws {
        let both = try f.certified([("phone", 0, 1), ("laptop", 1, 1)], by: f.account)
        var book = f.book(both)
        #expect(book.update(with: try f.certified([("laptop", 1, 1)], by: f.account)) == [.deviceRemoved(f.phone)])
        #expect(f.sealed(book) == [f.laptop: f.keys[1]] && f.leftOut(book).isEmpty)
        #expect(book.knownKeys(of: f.phone) == [f.keys[0]])
        #expect(book.update(with: both) == [.deviceAdded(f.phone)])
    }

    // MARK: Another account key

    @Test("another account key stops everything for the user, until exactly what was shown is accepted")
    func changedAccount() throws {
        var book = f.book(try f.certified([("phone", 0, 9)], by: f.account))
        #expect(try book.accept(#require(book.presented(of: f.bob)), isCompared: true) == [.verified(f.bob)])
        let changed = try f.certified([("phone", 1, 1)], by: f.other)
        #expect(book.update(with: changed) == [.accountKeyChanged(f.bob, wasVerified: true)])
        #expect(f.sealed(book).isEmpty && f.leftOut(book) == [f.phone])
        #expect(book.isHeld(f.bob) && book.isPending(f.bob) && book.isHeld(f.phone) && book.isAnyPending)
        #expect(book.knownKeys(of: f.phone) == [f.keys[0]])
        #expect(book.update(with: changed).isEmpty)
        #expect(book.presented(of: f.bob) == ShownKeys(user: f.bob, keys: .account(f.other.key)))

        #expect(try f.accept(&book) == [.accepted(f.bob)])
        #expect(f.sealed(book) == [f.phone: f.keys[1]])
        #expect(book.accountKey(of: f.bob) == f.other.key && !book.isVerified(f.bob))
        #expect(book.knownKeys(of: f.phone) == [f.keys[1], f.keys[0]])
        #expect(!book.isHeld(f.bob) && !book.isPending(f.bob))
    }

    @Test("what was shown is accepted and nothing else, whatever is listed by then")
    func acceptedIsShown() throws {
        var book = f.book(try f.certified([("phone", 0, 1)], by: f.account))
        let third = try TestAccount()
        _ = book.update(with: try f.certified([("phone", 1, 2)], by: f.other))
        let shown = try #require(book.presented(of: f.bob))
        for late in [
            try f.certified([("phone", 2, 3)], by: third), f.bare([("phone", 1)]), f.bare([]),
            try f.certified([("phone", 0, 1)], by: f.account),
        ] {
            _ = book.update(with: late)
            let before = book
            #expect(throws: KeyAcceptanceError.changed(f.bob)) { try book.accept(shown) }
            #expect(throws: KeyAcceptanceError.changed(f.bob)) { try book.accept(shown, isCompared: true) }
            #expect(book == before)
        }
        _ = book.update(with: try f.certified([("phone", 1, 2)], by: f.other))
        #expect(try book.accept(shown) == [.accepted(f.bob)])
    }

    @Test("an account key that is gone, or is none that can be used, stops everything for the user")
    func goneAccount() throws {
        let pinned = try f.certified([("phone", 0, 1)], by: f.account)
        for gone in [
            f.bare([("phone", 0)]), UserKeys(user: f.bob, accountKey: nil, devices: pinned.devices), f.bare([]),
            UserKeys(user: f.bob, accountKey: [UInt8](repeating: 0, count: 32), devices: pinned.devices),
        ] {
            var book = f.book(pinned)
            let notices = book.update(with: gone)
            #expect(notices.first == .accountKeyGone(f.bob, wasVerified: false))
            #expect(f.sealed(book).isEmpty && book.isHeld(f.bob))
            // Back again: nothing was lost, and nothing is new.
            _ = book.update(with: pinned)
            #expect(f.sealed(book) == [f.phone: f.keys[0]] && !book.isHeld(f.bob))
        }
        var book = f.book(pinned, f.bare([("phone", 3)]))
        #expect(book.presented(of: f.bob)?.keys == .devices([f.phone.device: f.keys[3]]))
        #expect(try f.accept(&book) == [.accepted(f.bob)])
        #expect(f.sealed(book) == [f.phone: f.keys[3]] && book.accountKey(of: f.bob) == nil)
    }

    @Test("an account key that returns to the pinned one holds up nothing, and what came with it meanwhile is told")
    func returned() throws {
        let first = try f.certified([("phone", 0, 1)], by: f.account)
        var book = f.book(first, try f.certified([("phone", 1, 2)], by: f.other))
        #expect(book.update(with: first).isEmpty)
        #expect(f.sealed(book) == [f.phone: f.keys[0]])
        _ = book.update(with: try f.certified([("phone", 1, 2)], by: f.other))
        let more = try f.certified([("phone", 0, 1), ("laptop", 3, 2)], by: f.account)
        #expect(book.update(with: more) == [.deviceAdded(f.laptop)])
    }

    // MARK: Bounds

    @Test("no number of decoys pushes a pin out")
    func decoys() throws {
        var book = f.book(try f.certified([("phone", 0, 1)], by: f.account))
        for round in 0..<20 {
            let decoys = (0..<200).map { published("decoy-\(round)-\($0)", f.keys[1]) }
            _ = book.update(with: listing("bob", account: f.account.key, decoys))
            #expect(f.leftOut(book).count == Limits.recipientKeys)
        }
        #expect(book.knownKeys(of: f.phone) == [f.keys[0]])
        #expect(
            book.update(with: try f.certified([("phone", 2, 1)], by: f.account)) == [
                .deviceIgnored(f.phone, .outdated)
            ])
    }

    @Test("a user whose account certifies without end has as many devices as are remembered, the first ones")
    func certifiedWithoutEnd() throws {
        var book = f.book(try f.certified([("phone", 0, 1)], by: f.account))
        for round in 0..<9 {
            let more = (0..<128).map { ("d-\(round)-\($0)", 1, Int64(1)) }
            _ = book.update(with: try f.certified(more, by: f.account))
        }
        #expect(book.users[f.bob]?.pins.count == PeerUser.maximumPins)
        #expect(f.leftOut(book).allSatisfy { book.fault(of: $0) == .tooManyDevices })
        _ = book.update(with: try f.certified([("phone", 0, 1)], by: f.account))
        #expect(f.sealed(book) == [f.phone: f.keys[0]])
    }

    @Test("a device that is left out is named by the key that it has published")
    func namesOfKeys() throws {
        let fault = try Fault.badSignature(of: "tv", f.bob)
        let devices = [published("laptop", f.keys[1]), fault]
        let book = f.book(listing("bob", account: f.account.key, devices))
        let leftOut = book.recipients(of: [f.bob], besides: f.owner).leftOut
        #expect(leftOut.map(\.keyID) == [f.keys[1].id, KeyID(naming: fault.identityKey)])
    }
}
