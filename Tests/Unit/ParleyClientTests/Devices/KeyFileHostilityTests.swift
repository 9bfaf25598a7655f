import TestSupport
import Foundation
import ParleyProtocol
import Sodium
import Testing

@testable import ParleyClient

@Suite("Files of keys that are broken or somebody else's")
struct KeyFileHostilityTests {
    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let keys: DeviceKeySet

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
        try directory.make()
        var keys = try DeviceKeySet.generate(for: directory.device)
        for change in [DeviceKeyChange.newAccount, .rotation] {
            keys = try #require(try keys.applying(change, now: Timestamp(milliseconds: 0)))
        }
        self.keys = keys
    }

    private func decode(_ file: [UInt8], _ protection: KeyProtection) throws(KeyFileError) -> DeviceKeySet {
        try KeyFile.decode(file, of: directory.device, with: protection.passphrase)
    }

    private func protections() throws -> [KeyProtection] { [.ownership, try .cheap("one")] }

    /// A file whose digest is right whatever else was done to it, as somebody makes who means to deceive.
    private func resealed(_ file: [UInt8]) throws -> [UInt8] {
        let content = Array(file.dropLast(32))
        return content + (try BLAKE2b.hash(content.span, length: .bytes32))
    }

    @Test("no beginning of a file is taken for keys")
    func truncated() throws {
        for protection in try protections() {
            let file = try KeyFile.encode(keys, protection)
            #expect(try decode(file, protection).secrets == keys.secrets)
            for count in 0..<file.count {
                #expect(throws: KeyFileError.truncated) { try decode(Array(file.prefix(count)), protection) }
            }
            #expect(throws: KeyFileError.corrupt) { try decode(file + [0], protection) }
        }
    }

    @Test("a file with one bit changed is refused, and left as it is")
    func everyBit() throws {
        for protection in try protections() {
            let file = try KeyFile.encode(keys, protection)
            for bit in 0..<(file.count * 8) {
                let reason = #expect(throws: KeyFileError.self) { try decode(file.flipping(bit), protection) }
                #expect(reason.map { Self.reasonsForDamage.contains($0) || $0.isNewerVersion } == true)
            }
        }
    }

    private static let reasonsForDamage: Set<KeyFileError> = [.corrupt, .truncated]

    @Test("with a digest that was made anew, no changed bit of a sealed file opens")
    func everyBitResealed() throws {
        let protection = try KeyProtection.cheap("one")
        let file = try KeyFile.encode(keys, protection)
        // Not the passes, the memory: their higher bits cost what they say. They have a test of their own.
        for bit in 0..<((file.count - 32) * 8) where !(14..<22).contains(bit / 8) {
            let resealed = try resealed(file.flipping(bit))
            #expect(throws: KeyFileError.self) { try decode(resealed, protection) }
        }
    }

    @Test("what opening may cost is bounded, and another cost than the keys were sealed with opens nothing")
    func cost() throws {
        let protection = try KeyProtection.cheap("one")
        let file = try KeyFile.encode(keys, protection)
        func with(passes: UInt32, kibibytes: UInt32) throws -> [UInt8] {
            var writer = ByteWriter()
            writer.bytes(file[..<14])
            writer.number(UInt64(passes), bytes: 4)
            writer.number(UInt64(kibibytes), bytes: 4)
            writer.bytes(file[22...])
            return try resealed(writer.bytes)
        }
        #expect(try decode(with(passes: 1, kibibytes: 8), protection).secrets == keys.secrets)
        for (passes, kibibytes): (UInt32, UInt32) in [(2, 8), (1, 9), (1, 16), (10, 64)] {
            let changed = try with(passes: passes, kibibytes: kibibytes)
            #expect(throws: KeyFileError.wrongPassphrase) { try decode(changed, protection) }
        }
        for (passes, kibibytes): (UInt32, UInt32) in [
            (0, 8), (1, 0), (1, 7), (11, 8), (1, 1_048_577), (.max, 8), (1, .max), (.max, .max),
        ] {
            let changed = try with(passes: passes, kibibytes: kibibytes)
            #expect(throws: KeyFileError.costTooHigh) { try decode(changed, protection) }
        }
    }

    @Test("random bytes, and random bytes after a good beginning, are refused")
    func random() throws {
        for protection in try protections() {
            let file = try KeyFile.encode(keys, protection)
            for count in [0, 1, 7, 8, 13, 14, 45, 46, 47, 100, file.count, 5000] {
                let noise = try RandomBytes.make(count: count)
                #expect(throws: KeyFileError.self) { try decode(noise, protection) }
                for kept in [8, 9, 10, 14] {
                    let mixed = Array(file.prefix(kept)) + noise
                    #expect(throws: KeyFileError.self) { try decode(mixed, protection) }
                }
            }
        }
    }

    @Test("a body of any wrong length is refused, also under a digest that is right")
    func wrongBody() throws {
        let file = try KeyFile.encode(keys, .ownership)
        for count in 0..<(file.count - 46) {
            var writer = ByteWriter()
            writer.bytes(file.prefix(10))
            writer.number(UInt64(46 + count), bytes: 4)
            writer.bytes(file[14..<(14 + count)])
            let shorter = try resealed(writer.bytes + [UInt8](repeating: 0, count: 32))
            #expect(throws: KeyFileError.corrupt) { try decode(shorter, .ownership) }
        }
    }

    @Test("another device's keys, a later version and a form that is none are named")
    func others() throws {
        for protection in try protections() {
            let foreign = try KeyFile.encode(.generate(for: device("alice/laptop")), protection)
            #expect(throws: KeyFileError.ofAnotherDevice) { try decode(foreign, protection) }
            var file = try KeyFile.encode(keys, protection)
            file[8] = 3
            #expect(throws: KeyFileError.newerVersion(3)) { try decode(file, protection) }
            file[8] = 0
            #expect(throws: KeyFileError.corrupt) { try decode(resealed(file), protection) }
            file[8] = 2
            file[9] = 7
            #expect(throws: KeyFileError.corrupt) { try decode(resealed(file), protection) }
        }
    }

    @Test("the store says of a file the same, and of one that is too large that it is")
    func throughTheStore() throws {
        let store = FileKeyStore(in: directory)
        let cases: [([UInt8], KeyFileError)] = [
            ([], .truncated), (Array("PARLEYKS".utf8), .truncated), (Array("something else".utf8), .corrupt),
            ([UInt8](repeating: 0, count: 65_536), .corrupt), ([UInt8](repeating: 0, count: 65_537), .tooLarge),
            (try KeyFile.encode(.generate(for: device("bob/phone")), .ownership), .ofAnotherDevice),
        ]
        for (bytes, reason) in cases {
            try directory.overwrite(directory.keysPath, with: bytes)
            let error = #expect(throws: KeyStoreError.self) { try store.keys() }
            #expect(error == KeyStoreError(reason: reason, path: directory.keysPath))
            #expect(error?.description.contains(directory.keysPath) == true)
            #expect(try directory.bytes(directory.keysPath) == bytes)
        }
    }
}

extension KeyFileError {
    fileprivate var isNewerVersion: Bool { if case .newerVersion = self { true } else { false } }
}
