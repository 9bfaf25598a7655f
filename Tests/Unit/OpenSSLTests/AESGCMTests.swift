import TestSupport
import Testing

@testable import OpenSSL

// `#expect` cannot hold a `Span`: the same functions over arrays.
extension AESGCM.Key {
    convenience init(_ key: [UInt8]) throws { try self.init(key.span, key.count == 16 ? .bits128 : .bits256) }

    func seal(_ message: [UInt8], nonce: [UInt8], data: [UInt8]) throws -> [UInt8] {
        try seal(message.span, nonce: nonce.span, additionalData: data.span)
    }

    func open(_ sealed: [UInt8], nonce: [UInt8], data: [UInt8]) throws -> [UInt8] {
        try open(sealed.span, nonce: nonce.span, additionalData: data.span)
    }
}

@Suite("AES-GCM and SHA-256 of OpenSSL")
struct AESGCMTests {
    static let nonce = [UInt8](repeating: 3, count: 12)

    @Test("Wycheproof: sealed and opened as it should be, with keys of 128 and 256 bits", .vectors)
    func wycheproof() throws {
        let file = try Vectors.json("wycheproof/aes_gcm_test.json")
        var (valid, invalid, foreign) = (0, 0, 0)
        for (_, test) in try Vectors.wycheproofCases(file) {
            let name: Comment = "case \(test["tcId"] ?? "?")"
            let (key, nonce, data) = try (test.bytes("key"), test.bytes("iv"), test.bytes("aad"))
            let (message, sealed) = try (test.bytes("msg"), test.bytes("ct") + test.bytes("tag"))
            guard [16, 32].contains(key.count), nonce.count == 12 else {
                #expect(throws: OpenSSLError.self, name) {
                    try AESGCM.Key(key).open(sealed, nonce: nonce, data: data)
                }
                foreign += 1
                continue
            }
            // One key for all: what one message leaves behind must not show in the next.
            let cipher = try AESGCM.Key(key)
            if test["result"] as? String == "valid" {
                for _ in 0..<2 {
                    #expect(try cipher.seal(message, nonce: nonce, data: data) == sealed, name)
                    #expect(try cipher.open(sealed, nonce: nonce, data: data) == message, name)
                }
                valid += 1
            } else {
                #expect(throws: OpenSSLError.notAuthentic, name) {
                    try cipher.open(sealed, nonce: nonce, data: data)
                }
                invalid += 1
            }
        }
        print("Wycheproof AES-GCM (OpenSSL): \(valid) sealed and opened, \(invalid) refused, \(foreign) not taken")
        #expect(valid > 0 && invalid > 0 && foreign > 0)
        #expect(Library.leavesNoError)
    }

    @Test("NIST CAVP: sealed and opened as printed; nonces of other lengths and shorter tags are not taken", .vectors)
    func cavp() throws {
        var (sealed, others) = (0, 0)
        for test in try Vectors.cases("nist_cavp/gcmEncryptExtIV256.rsp", first: "Count") {
            let (nonce, data) = try (test.bytes("IV"), test.bytes("AAD"))
            let (message, printed) = try (test.bytes("PT"), test.bytes("CT") + test.bytes("Tag"))
            let key = try AESGCM.Key(test.bytes("Key"))
            guard nonce.count == 12 else {
                #expect(throws: OpenSSLError.wrongLength(expected: 12, actual: nonce.count)) {
                    try key.seal(message, nonce: nonce, data: data)
                }
                others += 1
                continue
            }
            // A shorter tag is the beginning of the whole one, and opens nothing here.
            let whole = try key.seal(message, nonce: nonce, data: data)
            #expect(whole.starts(with: printed))
            #expect(try key.open(whole, nonce: nonce, data: data) == message)
            if printed.count < whole.count {
                #expect(throws: OpenSSLError.notAuthentic) { try key.open(printed, nonce: nonce, data: data) }
            }
            sealed += 1
        }
        print("NIST CAVP AES-256-GCM: \(sealed) sealed and opened, \(others) not taken")
        #expect(sealed > 0 && others > 0)
    }

    @Test(
        "what was changed, cut or moved does not open, and the same key opens the next", arguments: [0, 1, 16, 70_000])
    func changed(count: Int) throws {
        let message = [UInt8](repeating: 0xAB, count: count)
        for size in [16, 32] {
            let key = try AESGCM.Key([UInt8](repeating: 5, count: size))
            let sealed = try key.seal(message, nonce: Self.nonce, data: [1, 2])
            #expect(sealed.count == count + 16)
            for index in [0, count / 2, sealed.count - 1] {
                var changed = sealed
                changed[index] ^= 1
                #expect(throws: OpenSSLError.notAuthentic) { try key.open(changed, nonce: Self.nonce, data: [1, 2]) }
                #expect(try key.open(sealed, nonce: Self.nonce, data: [1, 2]) == message)
            }
            for wrong in [Array(sealed.dropLast()), sealed + [0], [], [UInt8](repeating: 0, count: 15)] {
                #expect(throws: OpenSSLError.notAuthentic) { try key.open(wrong, nonce: Self.nonce, data: [1, 2]) }
            }
            #expect(throws: OpenSSLError.notAuthentic) { try key.open(sealed, nonce: Self.nonce, data: []) }
            #expect(throws: OpenSSLError.notAuthentic) {
                try key.open(sealed, nonce: [UInt8](repeating: 4, count: 12), data: [1, 2])
            }
        }
        #expect(Library.leavesNoError)
    }

    @Test("a key or nonce of another length is refused", arguments: [0, 8, 11, 13, 15, 17, 24, 31, 33])
    func lengths(count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        for size in [AESGCM.KeySize.bits128, .bits256] {
            #expect(throws: OpenSSLError.wrongLength(expected: size.bytes, actual: count)) {
                try AESGCM.Key(bytes.span, size)
            }
        }
        let key = try AESGCM.Key([UInt8](repeating: 1, count: 32))
        let expected = OpenSSLError.wrongLength(expected: 12, actual: count)
        #expect(throws: expected) { try key.seal([1], nonce: bytes, data: []) }
        #expect(throws: expected) { try key.open([UInt8](repeating: 0, count: 17), nonce: bytes, data: []) }
    }

    @Test("one key serves many threads")
    func threads() async throws {
        let key = try AESGCM.Key([UInt8](repeating: 9, count: 32))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 as Range<UInt8> {
                group.addTask {
                    let nonce = [UInt8](repeating: number, count: 12)
                    for count in 0..<500 {
                        let message = [UInt8](repeating: number, count: count)
                        let sealed = try key.seal(message, nonce: nonce, data: [number])
                        #expect(try key.open(sealed, nonce: nonce, data: [number]) == message)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("SHA-256 gives the digests of FIPS 180-4, however the message is cut", arguments: [1, 2, 64, 1000])
    func sha256(step: Int) throws {
        func digest(_ message: [UInt8]) throws -> [UInt8] {
            var hash = try SHA256.begin()
            for start in stride(from: 0, to: message.count, by: step) {
                try hash.update(message.span.extracting(start..<min(start + step, message.count)))
            }
            return try hash.finish()
        }
        #expect(
            try digest(Array("abc".utf8)) == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(try digest([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
        #expect(
            try digest([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
                == hex("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
    }
}
