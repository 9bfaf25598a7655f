import ParleyProtocol
import ParleyRules
import ParleyStore
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// A renewal whose reply the device loses.
@Suite("Renewing a token", .onEveryStore)
struct TokenRenewalTests {
    private let test: TestWriter
    private let phone = device("alice", "phone")
    private let console = device("operator", "console")

    private struct Grant: Equatable {
        let token: TokenID
        let end: Timestamp
    }

    init() throws { test = try TestWriter() }

    /// The credentials that a device is answered with.
    private func credentials(_ request: IncomingCommand, now: Timestamp) throws -> Grant {
        let reply = try #require(try test.carryOut([request], now: now).effects.outgoing.replies.first)
        let password = try #require(reply.data["password"] as? String)
        let bytes = Array(password.utf8)
        let parsed = AccessToken(parsing: bytes.span)
        let token = try #require(parsed)
        return Grant(token: token.claims.id, end: Timestamp(milliseconds: token.claims.expiresAt * 1000))
    }

    private func add(days: Int) throws -> Grant {
        let named = #"{"user_id":"alice","device_id":"phone","ttl_days":\#(days)}"#
        return try credentials(try request(AddDevice.self, named, from: console), now: at(0))
    }

    private func renew(now: Timestamp) throws -> Grant {
        try credentials(try request(RenewDevice(device: nil), from: phone), now: now)
    }

    /// What the broker's plugin is told of the device.
    private func status() throws -> DeviceStatus {
        try #require(try test.store.read { try $0.devices.device(phone) }).status
    }

    private func signsIn(_ token: TokenID, at time: Timestamp) throws -> Bool {
        try status().end(of: token).map { time.milliseconds / 1000 < $0 } ?? false
    }

    @Test("a device that loses the reply signs in with what it holds for a day")
    func deviceLosesReplySignsHoldsDay() throws {
        let first = try add(days: 30)
        let renewed = try renew(now: at(.days(1)))
        let end = at(.days(2))
        for time in [at(.days(1)), at(.days(1)).advanced(by: .seconds(3600)), end.advanced(by: .seconds(-1))] {
            #expect(try signsIn(first.token, at: time))
            #expect(try signsIn(renewed.token, at: time))
            // It asks again and gets the same token.
            #expect(try renew(now: time) == renewed)
        }
        #expect(try !signsIn(first.token, at: end))
        #expect(try signsIn(renewed.token, at: end))
    }

    @Test("a renewal prolongs no token")
    func renewalProlongsToken() throws {
        let first = try add(days: 30)
        _ = try renew(now: first.end.advanced(by: .seconds(-60)))
        #expect(try signsIn(first.token, at: first.end.advanced(by: .seconds(-1))))
        #expect(try !signsIn(first.token, at: first.end))
    }

    @Test("the old token is over when the new one has signed in")
    func newTokenEndsTheOld() throws {
        let first = try add(days: 30)
        let renewed = try renew(now: at(.days(1)))
        test.writer.duties[PreviousTokenDuty.self]?.handle([TokenUse(device: phone, token: renewed.token)])
        let soon = at(.days(1)).advanced(by: .seconds(60))
        #expect(try signsIn(first.token, at: soon))
        test.writer.run(PreviousTokenDuty.self, now: soon)
        #expect(try !signsIn(first.token, at: soon))
        #expect(try signsIn(renewed.token, at: at(.days(2))))
        #expect(try renew(now: at(.days(3))).token != renewed.token)
    }

    @Test("revoking, and a token made anew, end both tokens at once")
    func revokingEndsBoth() throws {
        let first = try add(days: 30)
        let renewed = try renew(now: at(.days(1)))
        let other = try add(days: 31)
        for token in [first.token, renewed.token] { #expect(try !signsIn(token, at: at(.days(1)))) }
        #expect(try signsIn(other.token, at: at(.days(2))))
    }
}
