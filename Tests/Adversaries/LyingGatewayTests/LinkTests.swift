import LyingGateway
import ParleyClient
import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

@Suite("A gateway that lies while a device is linked", .ownThreads, .timeLimit(.minutes(20)))
struct LinkTests {
    private let linking: Linking
    private var gateway: LyingGateway { linking.gateway }

    init() throws { linking = try Linking() }

    @Test("the same without a lie: the new device is linked, certified, and gets what the other one sends")
    func truth() async throws {
        try await linking.withBoth { phone, tablet in
            #expect(await phone.account.isLinked)
            #expect(await !tablet.account.isLinked)
            #expect(try await linking.link(tablet, by: phone) == .linked)
            #expect(await tablet.account.isLinked)
            let devices = try await phone.devices.all()
            #expect(devices.map(\.status) == [.current, .certified])
            var events = ClientEvents(tablet)
            _ = try await tablet.conversation(with: linking.friend)
            try await phone.write("to both", to: linking.friend)
            try await events.wait(for: "the copy") { $0.shownText == "to both" }
        }
        #expect(gateway.accountsTaken == 0 && gateway.falselyCertified == 0)
    }

    /// What comes of a lie where the people are careful.
    private static func ending(of lie: LinkLie) -> Linking.Ending {
        switch lie {
        case .offerOfAnotherIdentity, .offerOfAnotherSigningKey, .offerOfAnotherLinkKey, .offerOfLowOrderLinkKey,
            .offerOfAttacker, .offerUnderAnotherName:
            .notApproved(.offerDiffers)
        case .offerTruncated: .unreadable
        case .offerWithheld, .approvalCalledLate: .notApproved(.noOffer)
        case .approvalCalledSecond: .notApproved(.alreadyApproved)
        case .accountOfAttacker: .otherDigits
        case .seedOfAttacker, .certificateOfAttacker, .certificateOfAnotherDevice, .certificateDated,
            .certificateDamaged, .sealDamaged, .sealForAnotherKey, .approvalOfFormerOffer:
            .refused(.forgedApproval)
        // What cannot be read is no approval.
        case .approvalSwallowed, .certificateTruncated, .sealTruncated, .approvalOfAnotherDevice: .handedNothing
        case .approvalUnasked, .accountOfAttackerAfterwards, .accountRefused, .ghostListedAsCertified: .linked
        }
    }

    @Test(
        "nothing is certified that the code does not name, no account goes to a stranger or comes from one, and it is said",
        arguments: LinkLie.allCases)
    func lie(_ lie: LinkLie) async throws {
        let expected = LinkTests.ending(of: lie)
        let account = try await linking.withBoth { phone, tablet in
            let account = try #require(gateway.publishedAccount(of: linking.phone.user))
            // There is a former approval, by which nobody was linked.
            if lie == .approvalOfFormerOffer {
                let code = try await tablet.linking.offer().code
                try await phone.linking.approve(try await phone.linking.candidate(code))
            }
            var events = ClientEvents(tablet)
            try gateway.tell(.link(lie), about: linking.phone.user, to: linking.tablet.address)
            try await events.catchUp(with: gateway, as: linking.tablet)
            #expect(try await linking.link(tablet, by: phone) == expected)
            #expect(await tablet.account.isLinked == (expected == .linked))
            // And nobody else opens what is written then, on either.
            try await phone.write("from the phone", to: linking.friend)
            try await tablet.write("from the tablet", to: linking.friend)
            return account
        }
        #expect(gateway.accountsTaken == 0)
        #expect(gateway.falselyCertified == 0)
        #expect(gateway.publishedAccount(of: linking.phone.user) == account)
        #expect(gateway.readings.isEmpty)
        #expect(Set(gateway.heard.map(\.text)).count == 2)
    }

    @Test("a device that nobody has linked is told of on the others, whatever the gateway says of its certificate")
    func ghost() async throws {
        try gateway.tell(
            .link(.ghostListedAsCertified), about: linking.phone.user, to: linking.phone.address)
        try await linking.phone.chat { phone, events in
            try await events.wait(for: "the warning") { event in
                if case .keys(.ownDeviceNotLinked(let device)) = event { device.device.text == "ghost" } else { false }
            }
            let devices = try await phone.devices.all()
            #expect(devices.map(\.status) == [.notCertified, .current])
            #expect(devices.first?.summary.isCertified == true)
        }
    }

    @Test("an offer that was approved is approved no second time")
    func twice() async throws {
        try await linking.withBoth { phone, tablet in
            let candidate = try await phone.linking.candidate(try await tablet.linking.offer().code)
            try await phone.linking.approve(candidate)
            await expect(refusedAs: .alreadyApproved) { try await phone.linking.approve(candidate) }
            // The one that was approved is good.
            _ = try await tablet.linking.handedAccount(timeout: .seconds(60))
        }
        #expect(gateway.falselyCertified == 0)
    }

    @Test("after ten minutes an offer is looked up no more, nor approved that was looked up before")
    func late() async throws {
        try await linking.withBoth { phone, tablet in
            let code = try await tablet.linking.offer().code
            let candidate = try await phone.linking.candidate(code)
            gateway.letPass(minutes: 10)
            await expect(refusedAs: .noOffer) { try await phone.linking.candidate(code) }
            await expect(refusedAs: .noOffer) { try await phone.linking.approve(candidate) }
            #expect(try await linking.link(tablet, by: phone) == .linked)
        }
    }

    @Test("a code with any one letter changed certifies nothing")
    func slips() async throws {
        try await linking.withBoth { phone, tablet in
            let code = Array(try await tablet.linking.offer().code.text.utf8)
            for index in code.indices {
                for letter in [UInt8(ascii: "A"), UInt8(ascii: "b"), UInt8(ascii: "7")] where letter != code[index] {
                    var changed = code
                    changed[index] = letter
                    guard let read = try? LinkCode(String(decoding: changed, as: UTF8.self)) else { continue }
                    await expect(refusedAs: nil) { try await phone.linking.candidate(read) }
                }
            }
            #expect(try await linking.link(tablet, by: phone) == .linked)
        }
        #expect(gateway.falselyCertified == 0)
    }

    @Test("a device without the account key approves nobody, and none is linked by its own code or another user's")
    func whoApproves() async throws {
        try await linking.withBoth { phone, tablet in
            let code = try await tablet.linking.offer().code
            await expect(refusedAs: .notLinked) { try await tablet.linking.candidate(code) }
            await expect(refusedAs: .alreadyLinked) { try await phone.linking.offer() }
            let foreign = try LinkCode(code.text.replacing("/alice/", with: "/bob/"))
            await expect(refusedAs: .foreignCode) { try await phone.linking.candidate(foreign) }
            let own = try LinkCode(code.text.replacing("/tablet/", with: "/phone/"))
            await expect(refusedAs: .ownCode) { try await phone.linking.candidate(own) }
        }
    }
}

/// Whether something about the account was refused by this name, or by any where it is `nil`.
func expect<Value>(
    refusedAs reason: AccountError?, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async {
    do {
        _ = try await body()
        Issue.record("it was not refused", sourceLocation: sourceLocation)
    } catch ClientError.account(let refusal) {
        #expect(reason == nil || refusal == reason, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
