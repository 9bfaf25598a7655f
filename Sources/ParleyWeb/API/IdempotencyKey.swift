import ParleyProtocol
import Sodium

/// A client's name for a request, so that a repeat makes nothing twice: 1 to 255 visible characters of ASCII.
struct IdempotencyKey: Hashable, Sendable {
    private let text: String

    static let lengths = 1...255

    init(_ text: String) throws(Rejection) {
        guard IdempotencyKey.lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Rejection(.badRequest, "Idempotency-Key: not 1 to 255 visible characters of ASCII") }
        self.text = text
    }

    /// The id of the object that the request makes: a UUID of version 8 from SHA-256 over uid, did, operation and key,
    /// each with its 16-bit big-endian length.
    func id(of operation: Operation, by caller: DeviceAddress) throws(Rejection) -> UUIDValue {
        try IdempotencyKey.id(
            [caller.user.text.utf8, caller.device.text.utf8, "\(operation)".utf8, text.utf8].map(Array.init))
    }

    /// The id of a request without a token: over operation, key and fields, so that two strangers with the same key get
    /// different ids. The order of the fields does not matter: an app may write the body anew for each attempt, from a
    /// table without an order.
    func id(of operation: Operation, fields: JSONObject) throws(Rejection) -> UUIDValue {
        var preimage = ["\(operation)", text].map { Array($0.utf8) }
        for name in fields.names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where name != IdempotencyKey.label && name != ClientNetwork.field {
            guard let place = fields.place(of: name) else { continue }
            preimage += [Array(name.utf8), Array(fields.source[place])]
        }
        return try IdempotencyKey.id(preimage)
    }

    /// Each attempt may have another one.
    private static let label = "request_id"

    private static func id(_ fields: [[UInt8]]) throws(Rejection) -> UUIDValue {
        var preimage = ByteWriter()
        for field in fields { preimage.field(field) }
        guard let digest = try? SHA256.hash(preimage.bytes.span), let id = UUIDValue.nameBased(digest: digest) else {
            throw .internalFault
        }
        return id
    }
}
