import ParleyProtocol
import Sodium

/// The name that a client gives to a request, so that a repeat of it makes nothing twice: 1 to 255 visible characters
/// of ASCII.
struct IdempotencyKey: Hashable, Sendable {
    private let text: String

    static let lengths = 1...255

    init(_ text: String) throws(Rejection) {
        guard IdempotencyKey.lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Rejection(.badRequest, "Idempotency-Key: not 1 to 255 visible characters of ASCII") }
        self.text = text
    }

    /// The id of what the request makes: a UUID of version 8 from SHA-256 over uid, did, operation and key, each with
    /// its 16-bit big-endian length.
    func id(of operation: Operation, by caller: DeviceAddress) throws(Rejection) -> UUIDValue {
        try IdempotencyKey.id(
            [caller.user.text.utf8, caller.device.text.utf8, "\(operation)".utf8, text.utf8].map(Array.init))
    }

    /// The same of a request by somebody who is not signed in: over operation, key and the body's digest, so that
    /// strangers who choose the same key have nothing to do with each other.
    func id(of operation: Operation, body: [UInt8]) throws(Rejection) -> UUIDValue {
        guard let digest = try? SHA256.hash(body.span) else { throw .internalFault }
        return try IdempotencyKey.id([Array("\(operation)".utf8), Array(text.utf8), digest])
    }

    private static func id(_ fields: [[UInt8]]) throws(Rejection) -> UUIDValue {
        var preimage = ByteWriter()
        for field in fields { preimage.field(field) }
        guard let digest = try? SHA256.hash(preimage.bytes.span), let id = UUIDValue.nameBased(digest: digest) else {
            throw .internalFault
        }
        return id
    }
}
