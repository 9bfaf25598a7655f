import Foundation
import ParleyProtocol
import Sodium

/// Seals columns with XChaCha20-Poly1305 and a random nonce, under a key of this file, bound to the row and the device,
/// so that no ciphertext opens in another place.
struct RowCipher {
    private let key: SecretBytes
    private let device: DeviceAddress

    /// Distinguishes this key from others derived from the storage key.
    private static let purpose = Array("parley/v1 device store".utf8)

    /// - Parameter storageKey: the device's; the rows' key is derived from it (`crypto_generichash`, keyed).
    init(storageKey: SecretBytes, device: DeviceAddress) throws(SodiumError) {
        var derived = try storageKey.withBytes { storageKey throws(SodiumError) in
            try BLAKE2b.hash(Self.purpose.span, length: .bytes32, key: storageKey)
        }
        defer { wipe(&derived) }
        key = try SecretBytes(copying: derived.span)
        self.device = device
    }

    /// Nonce, ciphertext and tag.
    func seal(_ bytes: [UInt8], at cell: SealedCell) throws(SodiumError) -> Data {
        let nonce = try RandomBytes.make(count: XChaCha20Poly1305.nonceLength)
        let bound = cell.bytes(on: device)
        let sealed = try key.withBytes { key throws(SodiumError) in
            try XChaCha20Poly1305.seal(bytes.span, nonce: nonce.span, additionalData: bound.span, key: key)
        }
        return Data(nonce + sealed)
    }

    /// `nil` if it was not sealed for this place.
    func open(_ sealed: [UInt8], at cell: SealedCell) -> [UInt8]? {
        guard sealed.count >= XChaCha20Poly1305.nonceLength + XChaCha20Poly1305.tagLength else { return nil }
        let nonce = sealed.span.extracting(first: XChaCha20Poly1305.nonceLength)
        let content = sealed.span.extracting(droppingFirst: XChaCha20Poly1305.nonceLength)
        let bound = cell.bytes(on: device)
        return try? key.withBytes { key throws(SodiumError) in
            try XChaCha20Poly1305.open(content, nonce: nonce, additionalData: bound.span, key: key)
        }
    }
}

/// The place of a ciphertext: its table and column, and the identity of the row.
enum SealedCell {
    case keyCheck
    case conversation(ConversationID)
    case message(MessagePosition, target: MessageID?, expiresAt: Timestamp?)
    case queue(QueueColumn, position: Int, MessageID, ConversationID)
    case request(_ position: Int, UUIDValue)
    case upload(MessageID, BlobID)

    enum QueueColumn: String {
        case content, request, reason
    }

    /// The associated data: every field with its 16-bit big-endian length before it.
    func bytes(on device: DeviceAddress) -> [UInt8] {
        var fields = ByteWriter()
        fields.field("parley/v1 device store".utf8)
        fields.field(device.user.text.utf8)
        fields.field(device.device.text.utf8)
        switch self {
        case .keyCheck:
            fields.field("key_check".utf8)
        case .conversation(let conversation):
            fields.field("conversations".utf8)
            fields.field(conversation.value.bytes)
        case .message(let position, let target, let expiresAt):
            fields.field("messages".utf8)
            fields.field(position.conversation.value.bytes)
            fields.field(position.epoch.utf8)
            fields.field(String(position.seq).utf8)
            fields.field(position.id.value.bytes)
            fields.field((expiresAt.map { String($0.milliseconds) } ?? "").utf8)
            if let target { fields.field(target.value.bytes) }
        case .queue(let column, let position, let message, let conversation):
            fields.field("queue".utf8)
            fields.field(column.rawValue.utf8)
            fields.field(String(position).utf8)
            fields.field(message.value.bytes)
            fields.field(conversation.value.bytes)
        case .request(let position, let id):
            fields.field("requests".utf8)
            fields.field(String(position).utf8)
            fields.field(id.bytes)
        case .upload(let message, let blob):
            fields.field("uploads".utf8)
            fields.field(message.value.bytes)
            fields.field(blob.value.bytes)
        }
        return fields.bytes
    }
}
