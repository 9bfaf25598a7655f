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
        var preimage = ByteWriter()
        for text in [caller.user.text, caller.device.text, "\(operation)", text] { preimage.field(text.utf8) }
        guard let digest = try? SHA256.hash(preimage.bytes.span), let id = UUIDValue.nameBased(digest: digest) else {
            throw .internalFault
        }
        return id
    }
}
