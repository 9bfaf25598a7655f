import Sodium
import TestSupport
import Testing

@Suite("Ed25519")
struct Ed25519Tests {
    // RFC 8032 §7.1, tests 1 and 3.
    static let vectors: [(seed: String, publicKey: String, message: String, signature: String)] = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ]

    @Test("the examples of RFC 8032 give the printed key and signature", arguments: vectors.indices)
    func examples(index: Int) throws {
        let vector = Self.vectors[index]
        let key = try Ed25519.SigningKey(seed: SecretBytes(copying: hex(vector.seed)))
        #expect(key.publicKey.bytes == hex(vector.publicKey))
        let signature = try key.sign(hex(vector.message))
        #expect(signature == hex(vector.signature))
        #expect(key.publicKey.verifies(signature, of: hex(vector.message)))
    }

    @Test("one changed bit of message, signature or key ends the agreement")
    func changedBits() throws {
        let key = try Ed25519.SigningKey(seed: .random(count: 32))
        let message: [UInt8] = Array("parley".utf8)
        let signature = try key.sign(message)
        #expect(key.publicKey.verifies(signature, of: message))
        for position in [0, 31, 32, 63] {
            var changed = signature
            changed[position] ^= 1
            #expect(!key.publicKey.verifies(changed, of: message))
        }
        #expect(!key.publicKey.verifies(signature, of: Array("Parley".utf8)))
        #expect(!key.publicKey.verifies(Array(signature.dropLast()), of: message))
        #expect(!key.publicKey.verifies((signature + [0]), of: message))
        #expect(!key.publicKey.verifies([UInt8](), of: message))
        let other = try Ed25519.SigningKey(seed: .random(count: 32))
        #expect(!other.publicKey.verifies(signature, of: message))
    }

    @Test("a seed or public key of another length is refused", arguments: [0, 31, 33, 64])
    func lengths(count: Int) throws {
        let expected = SodiumError.wrongLength(expected: 32, actual: count)
        #expect(throws: expected) { try Ed25519.SigningKey(seed: .random(count: count)) }
        #expect(throws: expected) { try Ed25519.PublicKey(bytes: [UInt8](repeating: 1, count: count)) }
    }

    @Test("the Wycheproof cases are judged as they say", .vectors)
    func wycheproof() throws {
        let file = try Vectors.json("wycheproof/ed25519_test.json")
        var judged = 0
        for (group, test) in try Vectors.wycheproofCases(file) {
            let named = (group["publicKey"] ?? group["key"]) as? [String: Any]
            let key = try Ed25519.PublicKey(bytes: hex(try #require(named?["pk"] as? String)))
            let message = hex(try #require(test["msg"] as? String))
            let signature = hex(try #require(test["sig"] as? String))
            let isValid = test["result"] as? String == "valid"
            #expect(
                key.verifies(signature, of: message) == isValid, "case \(test["tcId"] ?? "?")")
            judged += 1
        }
        #expect(judged > 0)
    }

    @Test("the signatures of the public vectors come out as printed, and are no other message's", .vectors)
    func vectorsOfSigning() throws {
        let lines = try Vectors.lines("libsodium_pynacl/ed25519")
        var judged = 0
        for line in lines {
            // Seed and public key, public key, message, signature and message.
            let fields = line.split(separator: ":", omittingEmptySubsequences: false).map { hex($0) }
            try #require(fields.count >= 4)
            let key = try Ed25519.SigningKey(seed: SecretBytes(copying: Array(fields[0].prefix(32))))
            #expect(key.publicKey.bytes == fields[1])
            let signature = try key.sign(fields[2])
            #expect(signature + fields[2] == fields[3])
            #expect(key.publicKey.verifies(signature, of: fields[2]))
            #expect(!key.publicKey.verifies(signature, of: fields[2] + [0]))
            judged += 1
        }
        print("ed25519: \(judged) signatures")
        #expect(judged > 0)
    }
}
