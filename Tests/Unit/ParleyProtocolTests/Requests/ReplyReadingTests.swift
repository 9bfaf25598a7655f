import ParleyProtocol
import TestSupport
import Testing

/// The `data` of each reply that is no record, written by the gateway and read by a device.
@Suite("Replies as a device reads them", .seeded)
struct ReplyReadingTests {
    @Test("a list of conversations has what is its caller's own")
    func conversationList() throws {
        var generator = Seeded(stream: 90)
        for _ in 0..<100 {
            let listings = try (0..<Int.random(in: 0...5, using: &generator)).map { _ -> Conversation in
                var listing = try generator.conversation()
                listing.listEntry = Conversation.ListEntry(
                    lastMessage: generator.chance(0.5) ? try generator.record() : nil,
                    unread: .counted(Int.random(in: 0...Int.max, using: &generator)),
                    lastReadSeq: Int.random(in: 0...Int.max, using: &generator))
                return listing
            }
            let bytes = JSONWriter.bytes { writer in
                writer.object { object in
                    object.member("conversations", array: listings) { $1.write(to: &$0) }
                    object.member("total", 9)
                    object.member("limit", 5)
                    object.member("offset", 2)
                }
            }
            let read = try ConversationList(json: bytes)
            #expect(read.total == 9 && read.limit == 5 && read.offset == 2)
            #expect(
                try read.conversations
                    == listings.map { listing in
                        var read = listing
                        let entry = try #require(listing.listEntry)
                        read.listEntry = Conversation.ListEntry(
                            lastMessage: try entry.lastMessage.map { record in
                                try MessageRecord(json: JSONWriter.bytes { record.write(to: &$0) })
                            }, unread: entry.unread, lastReadSeq: entry.lastReadSeq)
                        return read
                    })
        }
    }

    @Test("keys are of 32 bytes each, and a signature of 64; what is of another length is refused")
    func keys() throws {
        var generator = Seeded(stream: 91)
        func json(_ user: UserID, _ keys: [DeviceKeys], account: [UInt8]? = nil) -> [UInt8] {
            JSONWriter.bytes { UserKeys(user: user, accountKey: account, devices: keys).write(to: &$0) }
        }
        for _ in 0..<100 {
            let user = try generator.address().user
            let keys = try (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                DeviceKeys(
                    device: try generator.address().device, identityKey: generator.bytes(count: 32),
                    signingKey: generator.chance(0.5) ? generator.bytes(count: 32) : nil,
                    signature: generator.chance(0.5) ? generator.bytes(count: 64) : nil,
                    certificate: generator.chance(0.5) ? generator.certificate() : nil, createdAt: generator.time())
            }
            let account = generator.chance(0.5) ? generator.bytes(count: 32) : nil
            #expect(
                try UserKeys(json: json(user, keys, account: account))
                    == UserKeys(user: user, accountKey: account, devices: keys))
            #expect(throws: ReadingError.self) { try UserKeys(json: json(user, keys, account: [1])) }
            let short = DeviceKeys(
                device: try generator.address().device, identityKey: generator.bytes(count: 31), signingKey: nil,
                signature: nil, createdAt: generator.time())
            #expect(throws: ReadingError.self) { try UserKeys(json: json(user, keys + [short])) }
        }
    }

    @Test("a backup of an account key, and what a device has offered, are what was kept")
    func accounts() throws {
        var generator = Seeded(stream: 98)
        for _ in 0..<100 {
            let backup = AccountBackup(blob: generator.bytes(1...4096), updatedAt: generator.time())
            #expect(try AccountBackup(json: JSONWriter.bytes { backup.write(to: &$0) }) == backup)
            let link = PendingLink(
                device: try generator.address().device, offer: generator.linkOffer(), expiresAt: generator.time())
            #expect(try PendingLink(json: JSONWriter.bytes { link.write(to: &$0) }) == link)
        }
        for length in [0, 4097] {
            let backup = AccountBackup(blob: generator.bytes(count: length), updatedAt: generator.time())
            #expect(throws: ReadingError.self) {
                try AccountBackup(json: JSONWriter.bytes { backup.write(to: &$0) })
            }
        }
    }

    @Test("what a change became is read as it was written, and a place before the first is refused")
    func changes() throws {
        var generator = Seeded(stream: 97)
        for seq in [1, 2, Int.max] {
            let change = AcceptedChange(
                id: generator.uuid(), epoch: generator.text(1...8), seq: seq, createdAt: generator.time())
            #expect(try AcceptedChange(json: JSONWriter.bytes { change.write(to: &$0) }) == change)
        }
        let none = AcceptedChange(id: generator.uuid(), epoch: "epoch", seq: 0, createdAt: generator.time())
        #expect(throws: ReadingError.self) { try AcceptedChange(json: JSONWriter.bytes { none.write(to: &$0) }) }
    }

    @Test("the devices of a user, and which of them asked")
    func devices() throws {
        var generator = Seeded(stream: 92)
        let devices = try (0..<20).map { _ in
            ListedDevice(
                summary: DeviceSummary(
                    device: try generator.address().device, name: generator.chance(0.5) ? generator.text(1...100) : nil,
                    createdAt: generator.time(), lastSeen: generator.chance(0.5) ? generator.time() : nil,
                    expiresAt: generator.time(), hasKeys: generator.chance(0.5), isCertified: generator.chance(0.5),
                    push: generator.chance(0.5)
                        ? PushRegistrationSummary(provider: .known(.fcm), registeredAt: generator.time()) : nil),
                isCurrent: generator.chance(0.1))
        }
        let bytes = JSONWriter.bytes { writer in
            writer.object { object in
                object.member("devices", array: devices) { $1.summary.write(to: &$0, isCurrent: $1.isCurrent) }
            }
        }
        #expect(try DeviceList(json: bytes) == DeviceList(devices: devices))
    }

    @Test("of one's own profile everything is read, of others' what they show")
    func profiles() throws {
        var generator = Seeded(stream: 93)
        let counts = FollowCounts(followers: 3, following: 4)
        for _ in 0..<200 {
            let profile = Profile(
                user: try generator.address().user, displayName: generator.text(1...100),
                photoURL: generator.chance(0.5) ? generator.text(0...200) : nil,
                messagePrivacy: try generator.element(MessagePrivacy.allCases),
                sharesWorkoutData: generator.chance(0.5), sendsReadReceipts: generator.chance(0.5),
                sendsTyping: generator.chance(0.5), presence: try generator.element(PresencePrivacy.allCases),
                quietHours: generator.chance(0.5) ? QuietHours(from: "22:00", to: "07:00") : nil,
                timeZone: generator.chance(0.5) ? "Europe/Berlin" : nil)
            let others = try ShownProfile(
                json: JSONWriter.bytes { ShownProfile(profile, counts, forOwner: false).write(to: &$0) })
            #expect(others.user == profile.user && others.displayName == profile.displayName)
            #expect(others.photoURL == profile.photoURL && others.settings == nil)
            #expect(others.followersCount == 3 && others.followingCount == 4)
            let own = try ShownProfile(
                json: JSONWriter.bytes { ShownProfile(profile, counts, forOwner: true).write(to: &$0) })
            #expect(
                own.settings
                    == ShownProfile.Settings(
                        messagePrivacy: .known(profile.messagePrivacy), sharesWorkoutData: profile.sharesWorkoutData,
                        sendsReadReceipts: profile.sendsReadReceipts, sendsTyping: profile.sendsTyping,
                        presence: .known(profile.presence), quietHours: profile.quietHours, timeZone: profile.timeZone))
        }
    }
}
