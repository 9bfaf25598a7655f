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

    /// The key of RFC 7515, Appendix A.2.
    private static let modulus = hex(
        """
        a1f8160ae2e3c9b465ce8d2d656263362b927dbe29e1f02477fc1625cc90a136e38bd93497c5b6ea63dd7711e67c7429f956\
        b0fb8a8f089adc4b69893cc1333f53edd019b87784252fec914fe4857769594bea4280d32c0f55bf62944f130396bc6e9bdf\
        6ebdd2bda3678eeca0c668f701b38dbffb38c8342ce2fe6d27fade4a5a4874979dd4b9cf9adec4c75b05852c2c0f5ef8a5c1\
        750392f944e8ed64c110c6b647609aa4783aeb9c6c9ad755313050638b83665c6f6f7a82a396702a1f641b82d3ebf2392219\
        491fb686872c5716f50af8358d9a8b9d17c340728f7f87d89a18d8fcab67ad84590c2ecf759339363c07034d6f606f9e21e0\
        5456cae5e9a1
        """)

    @Test("the signature of RFC 7515 is verified by the two numbers of its key, and no other is")
    func published() throws {
        let key = try RSA.PublicKey(modulus: Self.modulus, exponent: [1, 0, 1])
        let message = Array(
            """
            eyJhbGciOiJSUzI1NiJ9.\
            eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
            """.utf8)
        let signature = hex(
            """
            702e218943e88fd11eb5d82dbf7845f34106ae1b81fff7731116add1717d83656d420afd3c96eedd73a2663e5166687b000b\
            87226e0187ed1073f945e582adfcef16d85a798ee8c66ddb3db8975b17d09402beedd5d9d97007108db28160d5f8040ca744\
            5762b81fbe7ff9d92e0ae76f24f25b33bbe6f44ae61eb1040acb20044d3ef9128ed40130795bd4bd3b41eecad066ab651981\
            fde48df77f372dc38b9fafdd3befb18b5da3cc3c2eb02f9e3a41d612caad15911273a05f23b9e838faaf849d698429ef5a1e\
            88798236c3d40e604522a544c8f27a7a2db80663d16cf7caea56de405cb2215a45b2c25566b55ac1a748a070dfc8a32a4695\
            43d019eefb47
            """)
        let verifies = { (signature: [UInt8], message: [UInt8]) in
            key.verifies(signature.span, of: message.span)
        }
        #expect(verifies(signature, message))
        #expect(!verifies(signature, message + [0]))
        let zeros = [UInt8](repeating: 0, count: 256)
        // The modulus, and one: their powers are as they are.
        let wrong: [[UInt8]] = [
            [], signature.dropLast(), [0] + signature, zeros, Self.modulus, zeros.dropLast() + [1],
        ]
        for bytes in wrong {
            #expect(!verifies(bytes, message))
        }
        #expect(Library.leavesNoError)
    }

    @Test("numbers that make no key, or a weak or a slow one, are refused")
    func numbers() {
        let (modulus, exponent) = (Self.modulus, [UInt8]([1, 0, 1]))
        let large = { (count: Int) in [UInt8](repeating: 0xFF, count: count) }
        let wrong: [([UInt8], [UInt8])] = [
            ([], exponent), ([1], exponent), (large(64), exponent), (large(255), exponent), (large(513), exponent),
            ([0] + modulus, exponent), (modulus.dropLast() + [modulus[255] ^ 1], exponent),
            ([0x7F] + large(255), exponent), (modulus, []), (modulus, [1]), (modulus, [3]), (modulus, [1, 0, 0]),
            (modulus, [0, 1, 0, 1]), (modulus, [1, 0, 0, 0, 1]), (modulus, modulus),
        ]
        for (modulus, exponent) in wrong {
            #expect(throws: OpenSSLError.malformedKey) { try RSA.PublicKey(modulus: modulus, exponent: exponent) }
        }
        for (modulus, exponent) in [(modulus, exponent), (large(512), exponent), (modulus, [0xFF, 0xFF, 0xFF, 0xFF])] {
            #expect(throws: Never.self) { try RSA.PublicKey(modulus: modulus, exponent: exponent) }
        }
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
