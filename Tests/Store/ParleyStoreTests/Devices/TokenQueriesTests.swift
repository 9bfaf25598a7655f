import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored tokens", .onEveryStore)
final class TokenQueriesTests: PeopleSuite {
    private let phone = device("alice", "phone")
    private let first = UUIDValue.random()
    private let second = UUIDValue.random()

    override init() throws {
        try super.init()
        try store.write { [phone, first] transaction in
            try transaction.users.insert("operator", role: .operator, displayName: "Operator", at: at(0))
            try transaction.devices.put(phone, tokenID: first, now: at(1), expiresAt: at(1000))
        }
    }

    private func renew(_ transaction: WriteTransaction) throws {
        try transaction.tokens.renew(
            of: phone, to: second, expiresAt: at(2000), previous: RenewedToken(tokenID: first, endsAt: at(50)),
            request: nil, now: at(9))
    }

    @Test("a renewal keeps the token before it, until the new one is used")
    func renewalKeepsTheLast() throws {
        try store.write { transaction in
            try renew(transaction)
            let state = try #require(try transaction.facts.devices.device(phone))
            #expect(state.tokenID == second && state.expiresAt == at(2000) && state.createdAt == at(1))
            #expect(state.previousToken == RenewedToken(tokenID: first, endsAt: at(50)))
            // By whatever else may have been reported, it is not ended.
            #expect(try !transaction.tokens.endPrevious(of: phone, by: first))
            #expect(try !transaction.tokens.endPrevious(of: device("bob", "phone"), by: second))
            #expect(try transaction.facts.devices.device(phone) == state)
            #expect(try transaction.tokens.endPrevious(of: phone, by: second))
            #expect(try transaction.facts.devices.device(phone)?.previousToken == nil)
            #expect(try !transaction.tokens.endPrevious(of: phone, by: second))
        }
    }

    @Test("a token made anew, and revoking, leave no token before it", arguments: [false, true])
    func noPrevious(isRevoked: Bool) throws {
        try store.write { transaction in
            try renew(transaction)
            if isRevoked { try transaction.devices.revoke(phone, at: at(10)) }
            try transaction.devices.put(phone, tokenID: .random(), now: at(11), expiresAt: at(2000))
            let state = try #require(try transaction.facts.devices.device(phone))
            #expect(state.previousToken == nil)
            #expect(state.nameReusedAt == (isRevoked ? at(11) : nil))
            // Made anew once more it is still the same device.
            try transaction.devices.put(phone, tokenID: .random(), now: at(12), expiresAt: at(2000))
            #expect(try transaction.facts.devices.device(phone)?.nameReusedAt == (isRevoked ? at(11) : nil))
        }
    }

    @Test("what came from a device is found through those it has made, also in a circle and after renewals")
    func offspringIsFound()
        throws
    {
        let (office, branch) = (device("operator", "office"), device("operator", "branch"))
        let (watch, gone) = (device("alice", "watch"), device("bob", "gone"))
        try store.write { transaction in
            for (address, maker) in [(office, branch), (branch, office), (watch, branch), (gone, office)] {
                try transaction.devices.put(address, tokenID: .random(), now: at(1), expiresAt: at(9), maker: maker)
            }
            try transaction.devices.revoke(gone, at: at(2))
            try transaction.tokens.renew(
                of: watch, to: second, expiresAt: at(2000), previous: RenewedToken(tokenID: first, endsAt: at(50)),
                request: nil, now: at(9))
            let facts = transaction.facts
            #expect(try facts.devices.made(by: office) == [watch, branch])
            #expect(try facts.devices.made(by: branch) == [watch, office])
            #expect(try facts.devices.made(by: watch) == [] && facts.devices.made(by: phone) == [])
            // Made anew by another, it is that one's.
            try transaction.devices.put(watch, tokenID: .random(), now: at(3), expiresAt: at(9), maker: phone)
            #expect(try facts.devices.made(by: office) == [branch])
            #expect(try facts.devices.made(by: phone) == [watch])
        }
    }
}
