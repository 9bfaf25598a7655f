import ParleyProtocol
import Testing

@Suite("Messages of audience changes")
struct AudienceCodecTests {
    static func sample() throws -> [AudienceChange] {
        let alice = UserID("alice")
        let long = try #require(UserID(String(repeating: "u", count: 64)))
        let phone = DeviceAddress(user: alice, device: DeviceID("phone"))
        let status = DeviceStatus(token: .random(), expiresAt: 1_768_469_400, role: .device)
        var limits = BrokerLimits()
        limits.connectionsPerUser = 0
        limits.publishBurstBytes = BrokerLimits.greatest
        let console = DeviceStatus(token: .random(), expiresAt: .max, role: .operator)
        let renewed = DeviceStatus(
            token: .random(), expiresAt: 5, role: .device, previous: PreviousToken(token: .random(), endsAt: 4))
        let another = DeviceStatus(
            token: .random(), expiresAt: 5, role: .operator, previous: PreviousToken(token: .random(), endsAt: .min),
            nameReusedAt: .max)
        return [
            .begin(version: .max), .limits(limits), .device(phone, status), .device(phone, console),
            .device(phone, renewed), .device(phone, DeviceStatus(token: .random(), expiresAt: 5, role: .door)),
            .device(phone, another), .deviceEnded(phone),
            .conversation(.random(), members: [alice, long]),
            .conversation(
                .random(), members: [alice, long], silences: [Silence(of: alice), Silence(of: long, through: 42)]),
            .conversation(.random(), members: []), .conversationEnded(.random()),
            .group(.random(), of: .random()), .groupEnded(.random()),
            .friends(alice, long), .friendsEnded(long, alice), .ready(version: 0), .lease(until: .max),
        ]
    }

    @Test("changes are read back in their order")
    func roundTrip() throws {
        let changes = try Self.sample()
        let messages = AudienceCodec.messages(for: changes)
        #expect(messages.count == 1)
        #expect(try AudienceCodec.changes(in: messages[0]) == changes)
        #expect(AudienceCodec.messages(for: [AudienceChange]()).isEmpty)
    }

    @Test("many changes are spread over messages of bounded length, none lost")
    func splitting() throws {
        let members = (0..<10).compactMap { UserID("user-\($0)") }
        let changes = (0..<5_000).map { _ in AudienceChange.conversation(.random(), members: members) }
        let messages = AudienceCodec.messages(for: changes)
        #expect(messages.count > 1)
        #expect(messages.allSatisfy { $0.count <= AudienceCodec.usualLength })
        #expect(try messages.flatMap { try AudienceCodec.changes(in: $0) } == changes)
    }

    @Test("a change longer than the usual length has a message of its own; members past the bound are left out")
    func longChange() throws {
        let member = try #require(UserID(String(repeating: "m", count: 64)))
        let id = ConversationID.random()
        let change = AudienceChange.conversation(
            id, members: Array(repeating: member, count: AudienceChange.maximumMembers + 1))
        let messages = AudienceCodec.messages(for: [.begin(version: 1), change, .ready(version: 1)])
        #expect(messages.count == 3)
        let read = try AudienceCodec.changes(in: messages[1])
        #expect(
            read == [
                .conversation(
                    id, members: Array(repeating: member, count: AudienceChange.maximumMembers))
            ])
    }

    @Test("a message cut anywhere inside a change is refused whole")
    func truncation() throws {
        let changes = try Self.sample()
        let message = AudienceCodec.messages(for: changes)[0]
        var whole: Set<Int> = [1]
        for count in 1...changes.count { whole.insert(AudienceCodec.messages(for: changes.prefix(count))[0].count) }
        for length in 0..<message.count {
            let cut = Array(message.prefix(length))
            if whole.contains(length) {
                #expect(throws: Never.self) { try AudienceCodec.changes(in: cut) }
            } else {
                #expect(throws: AudienceFeedError.malformed) { try AudienceCodec.changes(in: cut) }
            }
        }
    }

    @Test("what no gateway would send is refused")
    func hostile() throws {
        let ended = AudienceCodec.messages(for: [.conversationEnded(.random())])[0]
        let phone = DeviceAddress(user: UserID("al"), device: DeviceID("ph"))
        let device = AudienceCodec.messages(for: [.deviceEnded(phone)])[0]
        #expect(throws: Never.self) { try AudienceCodec.changes(in: device) }

        var unknownKind = ended
        unknownKind[1] = 99
        var zeroKind = ended
        zeroKind[1] = 0
        var hugeLength = ended
        for index in 2..<6 { hugeLength[index] = 0xFF }
        var shortBody = ended
        shortBody[5] -= 1
        var slashInID = device
        slashInID[7] = UInt8(ascii: "/")
        var emptyID = device
        emptyID[6] = 0
        var longID = device
        longID[6] = 200
        var silence = AudienceCodec.messages(for: [.conversation(.random(), members: [])])[0]
        silence[24] = 3
        var silencesNobody = silence
        silencesNobody[24] = 1
        var threeFriends = AudienceCodec.messages(for: [.friends(phone.user, phone.user)])[0]
        threeFriends += [1, UInt8(ascii: "x")]
        threeFriends[5] += 2
        var longGroup = AudienceCodec.messages(for: [.group(.random(), of: .random())])[0]
        longGroup += [1]
        longGroup[5] += 1
        var shortGroup = longGroup.dropLast(2)
        shortGroup[5] -= 2
        var excess = AudienceCodec.messages(for: [.limits(BrokerLimits())])[0]
        excess[6] = 1
        let status = DeviceStatus(token: .random(), expiresAt: 0, role: .device)
        var unknownFlag = AudienceCodec.messages(for: [.device(phone, status)])[0]
        unknownFlag[unknownFlag.count - 1] = 16
        var twoRoles = unknownFlag
        twoRoles[twoRoles.count - 1] = 1 | 8
        var missingToken = unknownFlag
        missingToken[missingToken.count - 1] = 2
        let cases = [
            longGroup, Array(shortGroup), unknownFlag, twoRoles, missingToken, excess, silence, silencesNobody,
            threeFriends, [],
            ended + [5], unknownKind,
            zeroKind,
            hugeLength,
            shortBody, slashInID, emptyID,
            longID,
        ]
        for message in cases {
            #expect(throws: AudienceFeedError.malformed) { try AudienceCodec.changes(in: message) }
        }
        #expect(throws: AudienceFeedError.malformed) {
            try AudienceCodec.changes(in: ended + [UInt8](repeating: 0, count: AudienceCodec.maximumLength))
        }
        #expect(throws: AudienceFeedError.unsupportedFormat) { try AudienceCodec.changes(in: [1] + ended.dropFirst()) }
        #expect(throws: AudienceFeedError.unsupportedFormat) { try AudienceCodec.changes(in: Array("{}".utf8)) }
    }

    @Test("answers are read back, and nothing else is an answer")
    func answers() {
        let all: [AudienceAnswer] =
            [.ready(version: 0), .ready(version: .max)] + AudienceFeedError.allCases.map { .snapshotNeeded($0) }
        for answer in all {
            let bytes = AudienceCodec.encode(answer)
            #expect(AudienceCodec.answer(in: bytes) == answer)
            #expect(AudienceCodec.answer(in: bytes + [0]) == nil)
            #expect(AudienceCodec.answer(in: Array(bytes.dropLast())) == nil)
        }
        for bytes in [[], [3], [2, 0], [3, 99], Array("{}".utf8)] { #expect(AudienceCodec.answer(in: bytes) == nil) }
    }
}
