import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

@Suite("Recovery keys")
struct RecoveryKeyTests {
    let alice = UserID(validated: "alice")

    @Test("are seven groups of four, read back however they were written down")
    func text() throws {
        for _ in 0..<100 {
            let key = try RecoveryKey.generate()
            let groups = key.groups
            #expect(groups.count == 7 && groups.allSatisfy { $0.count == 4 })
            let written = groups.joined(separator: " ")
            #expect(!written.contains { "ILOU".contains($0) })
            let mistaken = written.lowercased().replacing("0", with: "o").replacing("1", with: "l")
            for form in [written, groups.joined(), groups.joined(separator: "-"), mistaken] {
                #expect(try RecoveryKey(form).groups == groups)
            }
        }
    }

    @Test("with a letter changed, left out or added are refused")
    func slips() throws {
        let groups = try RecoveryKey.generate().groups
        let text = groups.joined()
        let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        for index in text.indices {
            for letter in letters where letter != text[index] {
                var changed = text
                changed.replaceSubrange(index...index, with: String(letter))
                #expect(throws: RecoveryKeyError.self) { try RecoveryKey(changed) }
            }
        }
        for index in text.indices.dropLast() where text[index] != text[text.index(after: index)] {
            var letters = Array(text)
            let place = text.distance(from: text.startIndex, to: index)
            letters.swapAt(place, place + 1)
            #expect(throws: RecoveryKeyError.misspelt) { try RecoveryKey(String(letters)) }
        }
        for bad in ["", String(text.dropLast()), text + "0", text.replacing(text.prefix(1), with: "U"), "é" + text] {
            #expect(throws: RecoveryKeyError.self) { try RecoveryKey(bad) }
        }
    }

    @Test("say nothing of themselves where they are printed")
    func printed() throws {
        let key = try RecoveryKey.generate()
        #expect(!"\(key)".contains(key.groups[0]) && Array(Mirror(reflecting: key).children).isEmpty)
    }

    @Test("open the backup of their account, of its user, and nothing else")
    func backup() throws {
        let account = try AccountSecret.generate()
        let key = try RecoveryKey.generate()
        let blob = try SealedAccount.seal(account, of: alice, with: key)
        #expect(blob.count == SealedAccount.length)
        let read = try RecoveryKey(key.groups.joined())
        #expect(try SealedAccount.open(blob, of: alice, with: read).publicKey == account.publicKey)
        #expect(throws: SodiumError.notAuthentic) {
            try SealedAccount.open(blob, of: alice, with: try RecoveryKey.generate())
        }
        #expect(throws: SodiumError.notAuthentic) {
            try SealedAccount.open(blob, of: UserID(validated: "bob"), with: key)
        }
        for index in blob.indices {
            #expect(throws: SodiumError.notAuthentic) {
                try SealedAccount.open(blob.flipping(index * 8), of: alice, with: key)
            }
        }
        for length in [0, 24, blob.count - 1] {
            #expect(throws: SodiumError.notAuthentic) {
                try SealedAccount.open(Array(blob.prefix(length)), of: alice, with: key)
            }
        }
    }
}
