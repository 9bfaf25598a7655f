import TestSupport
import Testing

@testable import OpenSSL

@Suite("RSA with SHA-256")
struct RSATests {
    static func key(_ pem: String) throws -> RSA.PrivateKey { try RSA.PrivateKey(pem: Array(pem.utf8).span) }

    static func sign(_ message: String, _ pem: String) throws -> [UInt8] { try key(pem).sign(Array(message.utf8).span) }

    static func verifies(_ signature: [UInt8], _ message: String) throws -> Bool {
        try key(TestKeys.rsa).verifies(signature.span, of: Array(message.utf8).span)
    }

    @Test("a signature is that of another program, in whichever form the key comes")
    func knownSignature() throws {
        // printf 'The signature of this is known.' | openssl dgst -sha256 -sign KEY
        let known = hex(
            """
            9109776d0184f1aaf4d867a487adb81d44cad3d9d99ac84ee980f9d7f29d869e1dd0c36cdcbfbd4adeb151b26db61ce6154a\
            57ed4253bcae82402535c10bf104758d1bfd3579d9acf0991f2e1fdf7b023118b30643a752338d8736875d84307b0f12e08c\
            c55800a9f392c2e8b1dd3c245bef2fa546dc19583be28b8706db80debba2ed030e9256ebb935bf5f1b56f1b369e65e652048\
            fd1398fc5af41ff1844085e34e29ee408d9d87c27ff168d01c1805c7a60c61c00660bde48f50c1336e578e2d2aaf479e1217\
            2941d13898ff6356eb5191521730750861620a67ede16ca166a98b2997470dc12f06df70aebf5a500da2ec24f9a72d2f6b11\
            704d56f90e4a
            """)
        #expect(known.count == 256)
        #expect(try Self.sign("The signature of this is known.", TestKeys.rsa) == known)
        #expect(try Self.sign("The signature of this is known.", TestKeys.rsaPKCS1) == known)
        #expect(try Self.verifies(known, "The signature of this is known."))
        #expect(Library.leavesNoError)
    }

    @Test("a signature that was changed or cut, or is of something else, is none")
    func changed() throws {
        let signature = try Self.sign("a", TestKeys.rsa)
        #expect(try Self.verifies(signature, "a"))
        #expect(try !Self.verifies(signature, "b"))
        #expect(try !Self.verifies(Array(signature.dropLast()), "a"))
        #expect(try !Self.verifies([], "a"))
        #expect(try !Self.verifies(signature + [0], "a"))
        for index in [0, 100, 255] {
            var changed = signature
            changed[index] ^= 1
            #expect(try !Self.verifies(changed, "a"))
        }
        #expect(Library.leavesNoError)
    }

    @Test(
        "what is no key of RSA, or too small a one, is refused",
        arguments: [
            "", "-", TestKeys.pkcs8, TestKeys.ed25519, TestKeys.smallRSA, TestKeys.encrypted, TestKeys.publicOnly,
            TestKeys.rsa.replacing("MII", with: "XXX"), String(TestKeys.rsa.dropLast(60)),
            TestKeys.rsa.replacing("RIVATE", with: "RIMATE"),
        ])
    func refused(_ pem: String) {
        #expect(throws: OpenSSLError.malformedKey) { try Self.key(pem) }
        #expect(Library.leavesNoError)
    }

    @Test("what a key prints as holds nothing of it")
    func silent() throws {
        let key = try Self.key(TestKeys.rsa)
        #expect("\(key)" == "RSA.PrivateKey")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(dumped == "- RSA.PrivateKey\n")
    }
}
