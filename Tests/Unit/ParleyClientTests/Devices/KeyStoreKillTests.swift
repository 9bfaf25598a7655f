import Foundation
import ParleyCrypto
import ParleyProtocol
import Sodium
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Processes that are killed while they write", .ownThreads)
struct KeyStoreKillTests {
    @Test("keys and pins of a process killed at any moment are whole: what it had made, or what was there before")
    func killed() async throws {
        let position = try TemporaryDirectory()
        let path = position.path
        let directory = position.directory(of: device("alice/phone"))
        var known: [IdentityKey] = []
        // The first is killed before it can have made anything.
        var round = 0
        // A slow machine may get little done before it is killed.
        while round < 60 || known.count < 2 {
            try #require(round < 2000)
            let delay = round * 211
            round += 1
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
                KeyStoreKillTests.killProcess(after: delay)
                try KeyStoreKillTests.writeForever(in: path)
            }
            let keys = try FileKeyStore(in: directory).keys()
            let identities = keys.identities.map(\.publicKey)
            #expect(Array(identities.suffix(known.count)) == known)
            known = identities
            let peers = try PeerKeys(in: directory, storageKey: keys.storageKey)
            #expect(!peers.book.isAnyPending)
            #expect(Set(try directory.entries).isSubset(of: KeyStoreKillTests.files))
        }
    }

    @Test("of a process killed while it changes the passphrase the keys open with the one before or the one after")
    func killedChanging() async throws {
        let position = try TemporaryDirectory()
        let path = position.path
        let directory = position.directory(of: device("alice/phone"))
        let first = FileKeyStore(in: directory, protectedBy: try .cheap("one"))
        let secrets = try first.keys().secrets
        var seen: Set<String> = []
        var round = 0
        while round < 40 || seen.count < 2 {
            try #require(round < 2000)
            let delay = round * 317
            round += 1
            let isFirst = (try? first.keys()) != nil
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, delay = delay as Int, isFirst = isFirst as Bool] in
                KeyStoreKillTests.killProcess(after: delay)
                let directory = DeviceDirectory(of: device("alice/phone"), in: path)
                var names = isFirst ? ["one", "two"] : ["two", "one"]
                var store = FileKeyStore(in: directory, protectedBy: try .cheap(names[0]))
                while true {
                    names.swapAt(0, 1)
                    store = try store.changeProtection(to: .cheap(names[0]))
                }
            }
            let opening = ["one", "two"].filter { name in
                guard let protection = try? KeyProtection.cheap(name) else { return false }
                return (try? FileKeyStore(in: directory, protectedBy: protection).keys().secrets) == secrets
            }
            #expect(opening.count == 1)
            seen.formUnion(opening)
        }
    }

    /// A temporary file may be left, under the one name that the next replacement takes.
    private static let files: Set = ["keys", "keys.lock", ".keys.new", "peers", "peers.lock", ".peers.new"]

    private static func killProcess(after microseconds: Int) {
        let end = ContinuousClock.now + .microseconds(microseconds)
        Thread.detachNewThread {
            while ContinuousClock.now < end {}
            kill(getpid(), SIGKILL)
        }
    }

    private static func writeForever(in path: String) throws {
        let directory = DeviceDirectory(of: device("alice/phone"), in: path)
        let store = FileKeyStore(in: directory)
        var peers = try PeerKeys(in: directory, storageKey: store.keys().storageKey)
        while true {
            let key = try store.change(.rotation, now: .earliest).identityKey
            _ = try peers.update(with: listing("user-\(UUID().uuidString)", [published("phone", key)]))
        }
    }
}
