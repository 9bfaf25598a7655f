import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored devices", .onEveryStore)
final class DeviceQueriesTests: PeopleSuite {
    private let phone = device("alice", "phone")
    private let token = UUIDValue.random()
    private let keys = DeviceKeys(
        device: "phone", identityKey: [UInt8](repeating: 1, count: 32), signingKey: [UInt8](repeating: 2, count: 32),
        signature: [UInt8](repeating: 3, count: 64), createdAt: at(2))

    override init() throws {
        try super.init()
        try store.write { [phone, token] transaction in
            try transaction.users.insert("operator", role: .operator, displayName: "Operator", at: at(0))
            try transaction.devices.put(phone, tokenID: token, now: at(1), expiresAt: at(1000))
        }
    }

    @Test("a device is known by its one token")
    func oneToken() throws {
        let expected = DeviceState(
            address: phone, tokenID: token, createdAt: at(1), expiresAt: at(1000), role: .device,
            previousToken: nil, nameReusedAt: nil)
        #expect(try store.read { try $0.devices.device(phone) } == expected)
        #expect(try store.read { try $0.devices.device(device("bob", "phone")) } == nil)
        #expect(try store.read { try $0.devices.exists(phone) })
    }

    @Test("a new token takes the place of the old, and keys and birthday stay")
    func newTokenReplaces() throws {
        let new = UUIDValue.random()
        try store.write { transaction in
            try transaction.devices.setKeys(keys, of: "alice")
            try transaction.devices.put(phone, tokenID: new, now: at(9), expiresAt: at(2000))
            let state = try #require(try transaction.facts.devices.device(phone))
            #expect(state.tokenID == new && state.createdAt == at(1) && state.expiresAt == at(2000))
            #expect(try transaction.facts.devices.keys(of: "alice").count == 1)
        }
    }

    @Test("a revoked device is nobody, and its keys are gone even when it lives again")
    func revokedIsNobody() throws {
        try store.write { transaction in
            try transaction.devices.setKeys(keys, of: "alice")
            try transaction.devices.revoke(phone, at: at(3))
            let facts = transaction.facts
            #expect(try facts.devices.device(phone) == nil && facts.devices.exists(phone))
            #expect(try facts.devices.summaries(of: "alice").isEmpty && facts.devices.keys(of: "alice").isEmpty)
            try transaction.devices.setKeys(keys, of: "alice")
            #expect(try facts.devices.keys(of: "alice").isEmpty)
            try transaction.devices.put(phone, tokenID: .random(), now: at(5), expiresAt: at(2000))
            #expect(try facts.devices.device(phone) != nil && facts.devices.keys(of: "alice").isEmpty)
        }
    }

    @Test("keys come back as they were published, of devices that have some")
    func keysComeBack() throws {
        try store.write { transaction in
            try transaction.devices.put(device("alice", "laptop"), tokenID: .random(), now: at(1), expiresAt: at(1000))
            try transaction.devices.put(device("alice", "watch"), tokenID: .random(), now: at(1), expiresAt: at(1000))
            try transaction.devices.setKeys(keys, of: "alice")
            let plain = DeviceKeys(
                device: "watch", identityKey: keys.identityKey, signingKey: nil, signature: nil, createdAt: at(3))
            try transaction.devices.setKeys(plain, of: "alice")
            #expect(try transaction.facts.devices.keys(of: "alice") == [keys, plain])
            #expect(try transaction.facts.devices.keys(of: phone) == keys)
            #expect(try transaction.facts.devices.keys(of: device("alice", "laptop")) == nil)
            #expect(try transaction.facts.devices.summaries(of: "alice").map(\.device) == ["laptop", "phone", "watch"])
            #expect(try transaction.facts.devices.summaries(of: "alice").map(\.hasKeys) == [false, true, true])
        }
    }

    @Test("an account key that takes another's place leaves no certificate, of that user alone")
    func accountKeyEndsCertificates() throws {
        let certified = DeviceKeys(
            device: "phone", identityKey: keys.identityKey, signingKey: keys.signingKey, signature: nil,
            certificate: DeviceCertificate(signature: [UInt8](repeating: 4, count: 64), issuedAt: at(7)),
            createdAt: at(2))
        try store.write { transaction in
            try transaction.devices.put(device("bob", "phone"), tokenID: .random(), now: at(1), expiresAt: at(1000))
            for user in ["alice", "bob"] as [UserID] {
                try transaction.accounts.setKey([UInt8](repeating: 5, count: 32), of: user)
                try transaction.devices.setKeys(certified, of: user)
            }
            try transaction.accounts.setKey([UInt8](repeating: 6, count: 32), of: "alice")
            let facts = transaction.facts
            #expect(
                try facts.devices.keys(of: "bob") == [certified] && facts.devices.keys(of: phone)?.certificate == nil)
            #expect(try facts.devices.keys(of: phone)?.identityKey == keys.identityKey)
            #expect(try facts.accounts.key(of: "alice") == [UInt8](repeating: 6, count: 32))
            #expect(try facts.devices.summaries(of: "bob").map(\.isCertified) == [true])
            #expect(try facts.devices.summaries(of: "alice").map(\.isCertified) == [false])
            try transaction.devices.revoke(device("bob", "phone"), at: at(3))
            try transaction.devices.put(device("bob", "phone"), tokenID: .random(), now: at(4), expiresAt: at(1000))
            #expect(
                try facts.devices.keys(of: "bob").isEmpty
                    && facts.devices.summaries(of: "bob").map(\.isCertified) == [false])
        }
    }

    @Test("a name and when it was seen are a live device's, and go with it")
    func nameAndLastSeen() throws {
        try store.write { transaction in
            try transaction.devices.setName("Telefon", of: phone)
            try transaction.devices.setLastSeen([(phone, at(5))])
            let listed = try #require(try transaction.facts.devices.summaries(of: "alice").first)
            #expect(listed.name == "Telefon" && listed.lastSeen == at(5))
            try transaction.devices.revoke(phone, at: at(6))
            try transaction.devices.setLastSeen([(phone, at(7))])
            try transaction.devices.put(phone, tokenID: .random(), now: at(8), expiresAt: at(1000))
            let again = try #require(try transaction.facts.devices.summaries(of: "alice").first)
            #expect(again.name == nil && again.lastSeen == nil)
        }
    }

    @Test("the broker is told of every live device, operators marked")
    func brokerIsToldAll() throws {
        try store.write { transaction in
            let console = device("operator", "console")
            try transaction.devices.put(console, tokenID: .random(), now: at(1), expiresAt: at(1000))
            try transaction.devices.put(device("bob", "phone"), tokenID: .random(), now: at(1), expiresAt: at(1000))
            try transaction.devices.revoke(device("bob", "phone"), at: at(2))
            var found: [DeviceAddress: Bool] = [:]
            try transaction.facts.devices.readAll { found[$0.address] = $0.role == .operator }
            #expect(found == [phone: false, console: true])
        }
    }
}
