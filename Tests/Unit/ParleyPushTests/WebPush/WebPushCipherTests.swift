import OpenSSL
import ParleyProtocol
import Sodium
import TestSupport
import Testing

@testable import ParleyPush

/// Bytes from base64url, white space passed over.
func base64URL(_ text: String) throws -> [UInt8] {
    let bytes = Base64URL.decode(Array(text.utf8.filter { $0 > 0x20 }).span)
    return try #require(bytes, "no base64url")
}

@Suite("The encryption of Web Push")
struct WebPushCipherTests {
    /// RFC 8188 §3.1
    @Test("the example of the content coding comes out byte by byte")
    func exampleContentCodingComes() throws {
        let keyMaterial = try base64URL("yqdlZ-tYemfogSmv7Ws5PQ")
        let sealed = try WebPushCipher.seal(
            Array("I am the walrus".utf8), padding: 0, keyMaterial: WipedBytes(copying: keyMaterial.span),
            salt: base64URL("I1BsxtFttlv3u_Oo94xnmw"), keyID: [])
        #expect(
            try sealed
                == base64URL("I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"))
    }

    /// RFC 8291 §5 and Appendix A.
    @Test("the example of Web Push comes out byte by byte")
    func exampleWebPushComes() throws {
        let key = try base64URL("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
        let entropy = WebPushCipher.Entropy(
            salt: try base64URL("DGv6ra1nlYgDCS1FRnbzlw"), key: try P256.PrivateKey(key.span))
        let sealed = try WebPushCipher.seal(
            Array("When I grow up, I want to be a watermelon".utf8), padding: 0,
            p256dh: base64URL(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            auth: base64URL("BTBZMqHH6r4Tts7J_aSIgg"), entropy)
        #expect(
            try sealed
                == base64URL(
                    """
                    DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml
                    mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT
                    pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
                    """))
    }

    @Test("padding goes up to multiples and to the greatest body")
    func paddingGoesUpMultiples() {
        let cases = [
            (0, 0), (1, 256), (255, 256), (256, 256), (257, 512), (3840, 3840), (3841, 3993), (3993, 3993),
            (4096, 4096),
        ]
        for (count, padded) in cases { #expect(count + WebPushCipher.padding(for: count) == padded) }
        #expect(WebPushCipher.contentLimit == 3993)
    }

    @Test("the greatest content makes the greatest body")
    func greatestContentMakesGreatest() throws {
        let key = try P256.PrivateKey.generate()
        let body = try WebPushCipher.seal(
            [UInt8](repeating: 1, count: 3993), padding: 0, p256dh: key.publicKey.bytes,
            auth: [UInt8](repeating: 2, count: 16), .random())
        #expect(body.count == WebPushCipher.bodyLimit)
    }

    @Test("what is no point is no key")
    func noPointNoKey() {
        #expect(throws: WebPushError.notAPublicKey) {
            try WebPushCipher.seal(
                [1], padding: 0, p256dh: [4] + [UInt8](repeating: 1, count: 64), auth: [UInt8](repeating: 2, count: 16),
                .random())
        }
    }

    /// A second reading of RFC 8291, from the receiver's side.
    @Test("the subscriber opens what was sealed")
    func subscriberOpensSealed() throws {
        let key = try P256.PrivateKey.generate()
        let auth = [UInt8](repeating: 5, count: 16)
        let content = Array("hello".utf8)
        let body = try WebPushCipher.seal(
            content, padding: WebPushCipher.padding(for: content.count),
            p256dh: key.publicKey.bytes,
            auth: auth, .random())
        let record = try openWebPush(body, key, auth: auth)
        #expect(record.count == 257)
        #expect(record == content + [2] + [UInt8](repeating: 0, count: 251))
    }
}

/// What a subscriber finds in a body: the content, the delimiter and the padding.
func openWebPush(_ body: [UInt8], _ key: P256.PrivateKey, auth: [UInt8]) throws -> [UInt8] {
    let salt = Array(body[..<16]), sender = Array(body[21..<86])
    try #require(body[16..<21].elementsEqual([0, 0, 16, 0, 65]))
    func derive(_ secret: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int) throws -> [UInt8] {
        try HKDFSHA256.derive(from: secret.span, salt: salt, info: info, count: count).withBytes { bytes in
            bytes.indices.map { bytes[$0] }
        }
    }
    let info = Array("WebPush: info\0".utf8) + key.publicKey.bytes + sender
    let keyMaterial = try derive(key.sharedSecret(with: P256.PublicKey(sender)), auth, info, 32)
    let nonce = try derive(keyMaterial, salt, Array("Content-Encoding: nonce\0".utf8), 12)
    let contentKey = try derive(keyMaterial, salt, Array("Content-Encoding: aes128gcm\0".utf8), 16)
    let (sealed, nothing) = (Array(body[86...]), [UInt8]())
    return try AESGCM.Key(contentKey.span, .bits128).open(
        sealed.span, nonce: nonce.span, additionalData: nothing.span)
}
