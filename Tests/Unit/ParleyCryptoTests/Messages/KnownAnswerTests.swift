import ParleyCrypto
import ParleyProtocol
import Sodium
import Synchronization
import TestSupport
import Testing

/// The exact bytes of each suite (protocol §6). The figures were computed from its text with other libraries: OpenSSL's
/// X25519, HKDF, AES-GCM and ChaCha20-Poly1305 with an HChaCha20 by hand, hashlib's BLAKE2b, PyNaCl's boxes.
@Suite("Known answers")
struct KnownAnswerTests {
    /// Alice's phone seals for Bob's phone and Carol's tablet.
    struct Answer: Sendable {
        let suite: Suite.Bound
        let addressing: Addressing
        let nonce: String
        let content: String
        var keys: [String] = []
    }

    static let nonce12 = "000102030405060708090a0b"
    static let nonce24 = "000102030405060708090a0b0c0d0e0f1011121314151617"

    static let answers = [
        Answer(
            suite: .x25519AESGCM, addressing: .one, nonce: nonce12,
            content: "91f76c471849e809626032f0534590ab617f23e2e5c9a4553f47443f19a59e2b"),
        Answer(
            suite: .x25519AESGCM, addressing: .devices, nonce: nonce12,
            content: "daa7ec37c6e4e5a1871d1339e4692e51a8a34d5dc8e3845986ab0275248e1ca4",
            keys: [
                """
                2c2d2e2f30313233343536378bfd056a7d30e7c11da46d203135af8721ba390427a04fcd0fa38557e6144614147cbf21982a50f4\
                bcbdb6906e908718
                """,
                """
                38393a3b3c3d3e3f40414243987716c8b95f14e9e10d72b51e6e55ca5a461205ec1090246db8361b0936d0ac99828a57d8dac2ec\
                3df08897179ecdfd
                """,
            ]),
        Answer(
            suite: .naclBox, addressing: .one, nonce: nonce24,
            content: """
                842314c0af815de07f000a268cc35df81238db502a5c0fbe9c8b6e75ce4219d31469782b01dcd735caad2dab93643d7319610703\
                145f6965cea54ef17f60018b644f596b0e887ca0a85874439562c37eababdc4d73f8f0b27b8d018cd767b3ce23165ba0a3caa15b\
                c64fa11ec8464e909e73d54d8b0cecf8c9b5bed078974219948eaad9ca6ced310cd377831154fa4f06ecec418ba46151add8e643\
                35fc7ceb803ec032a5084156bfe2495fb124aa0c8a238cae97e6a06324e7c216f7fb31799d60a09e346bc92522748247accdefea\
                a2dd592ffe9dd926ce2dd983e71ae472a1d536605ed06da0b270f0edc1e374
                """),
        Answer(
            suite: .naclBox, addressing: .devices, nonce: nonce24,
            content: """
                802eba57f9dc4a8e5cebd8a08cd8dc229d7f7a6cb6de7020faa6cb763cb148ffc8005c2ad692227ed932a5b7366d64ed4443b114\
                e0f4daeb1911a40d49f7dfc141825a03fd8cc5c4d08ab713807ec7f9dfdfb42ce55c1d00a7f9094667610376c329e13fcf999157\
                22bdaf981b93607d007b2055c738133486cfdb0aa49f32299f6975c7e416dbe860bff5b267edf36235c3e9a0166e0a0057a595b0\
                6496acf696b42bf38c0e9b00d508e535df893dc4d03ca249695e802679088c37cca15fd53c6968f8783a12ea16e016bfe99c4032\
                ded87eb1ee4b735f906976ef6a812e36639ec8a275bc70b98a941426e4e43a
                """,
            keys: [
                """
                38393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f001a0d4a66e73de13cd0fd0b637900cc5195fcaad90699da5640f0fb\
                ccf0ecafdf3731583fe9a81f6298c8f373c50eca5b81e16bc719d20033ed3e86cd2b85d3b3080a338e412a62cdbdfc55ccb26429
                """,
                """
                505152535455565758595a5b5c5d5e5f606162636465666702df767bbfceed6796282cae149a6d4da3a4c3eeb3c7a176cfe3ca37\
                89c54382220f2d94d71838ebf11c380d51d33f496e8f8a4aa84bb1aed36c073b863593f5ffc734d4e039f4d7501ec42b71646304
                """,
            ]),
        Answer(
            suite: .groupBox, addressing: .devices, nonce: nonce24,
            content: "5255dce75a37b232ab4b060b1d4660231d4902beac7d397a4e792ee38d485e17",
            keys: [
                """
                38393a3b3c3d3e3f404142434445464748494a4b4c4d4e4fbd70918eaf925a80a8692fd0c069bc2a5195fcaad90699da5640f0fb\
                ccf0ecafdf3731583fe9a81f6298c8f373c50eca1cc5b9ea31b2d39c438c2f3b391c6a2b0521ccfc5104698b9fffe8c2db9a8f99
                """,
                """
                505152535455565758595a5b5c5d5e5f6061626364656667138ac596d7201fa6c465c20efb0d5927a3a4c3eeb3c7a176cfe3ca37\
                89c54382220f2d94d71838ebf11c380d51d33f4929cbd2cb5ee0b032a30d168672027c0d49eef21b3f7cb73e025cd0bc664c88b4
                """,
            ]),
    ]

    /// Gives 0, 1, 2 … for randomness, in the order in which it is drawn: nonce, content key, a nonce for each device.
    final class Counting: Sendable {
        private let next = Atomic<Int>(0)

        func make(_ count: Int) -> [UInt8] {
            let first = next.add(count, ordering: .relaxed).oldValue
            return (first..<first + count).map { UInt8(truncatingIfNeeded: $0) }
        }
    }

    @Test("each suite gives exactly these bytes, and opens them", arguments: answers)
    func exactBytes(answer: Answer) throws {
        let (alice, bob, carol) = (try Party.alice(), try Party.bob(), try Party.carol())
        let header = try MessageHeader.full(answer.suite, from: alice)
        let random = Counting()
        var sender = alice.cipher { random.make($0) }
        let sealed = try sender.seal(hello, header, for: answer.addressing.recipients(bob, carol))
        #expect(sealed.nonce == hex(answer.nonce))
        #expect(sealed.content == hex(answer.content))
        #expect(sealed.recipientKeys?.map(\.encryptedKey) ?? [] == answer.keys.map(hex))
        #expect(try bob.open(sealed, header, with: .ofSender([alice.key])) == hello)
        #expect(try sender.open(sealed, header, with: .ofRecipients([bob.address: [bob.key]])) == hello)
    }

    @Test("the public keys of the figures")
    func publicKeys() throws {
        let keys = try [Party.alice(), .bob(), .carol()].map { $0.key.bytes }
        #expect(
            keys == [
                hex("07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c"),
                hex("5869aff450549732cbaaed5e5df9b30a6da31cb0e5742bad5ad4a1a768f1a67b"),
                hex("64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d48466"),
            ])
    }
}
