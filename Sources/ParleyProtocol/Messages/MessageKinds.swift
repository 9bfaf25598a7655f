/// The kind of a message, which the gateway sees, as it does not see the content.
public enum MessageType: String, Sendable, CaseIterable, Codable {
    case text, image, file, voice
    case dietPlan = "diet_plan"
    case workoutPlan = "workout_plan"
    case challenge
    /// Written by the gateway alone.
    case system

    /// The types that a device may send.
    public enum Sendable: String, Swift.Sendable, CaseIterable, Codable {
        case text, image, file, voice
        case dietPlan = "diet_plan"
        case workoutPlan = "workout_plan"
        case challenge

        public var type: MessageType {
            switch self {
            case .text: .text
            case .image: .image
            case .file: .file
            case .voice: .voice
            case .dietPlan: .dietPlan
            case .workoutPlan: .workoutPlan
            case .challenge: .challenge
            }
        }
    }
}

struct SendableTypeForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> MessageType? {
        try object.choice(name, as: MessageType.Sendable.self)?.type
    }

    func write(_ value: MessageType, to writer: inout JSONWriter) { value.rawValue.write(to: &writer) }

    var schema: FieldSchema { .choice(MessageType.Sendable.self) }
}

/// The encryption of a message (protocol §6). The gateway can open none; it knows only their shapes.
public enum Suite: String, Sendable, CaseIterable, Codable {
    case x25519AESGCM = "x25519-hkdf-sha256-aes256gcm"
    case naclBox = "nacl-box"
    case groupBox = "group-box"
    /// `crypto_box` of the content alone, as apps of the older guides seal it. Nothing of the header is authenticated.
    case legacyNaClBox = "legacy-nacl-box"

    /// The suites that bind a message to its header: clients seal with no other.
    public enum Bound: String, Sendable, CaseIterable, Codable {
        case x25519AESGCM = "x25519-hkdf-sha256-aes256gcm"
        case naclBox = "nacl-box"
        case groupBox = "group-box"

        public var suite: Suite {
            switch self {
            case .x25519AESGCM: .x25519AESGCM
            case .naclBox: .naclBox
            case .groupBox: .groupBox
            }
        }

        /// In bytes.
        public var nonceLength: Int { suite.nonceLength }
    }

    /// `nil` for a form that authenticates no header.
    public var bound: Bound? {
        switch self {
        case .x25519AESGCM: .x25519AESGCM
        case .naclBox: .naclBox
        case .groupBox: .groupBox
        case .legacyNaClBox: nil
        }
    }

    /// In bytes.
    public var nonceLength: Int {
        switch self {
        case .x25519AESGCM: 12
        case .naclBox, .groupBox, .legacyNaClBox: 24
        }
    }
}

/// The kind of a log record: a message, or a later change to one.
public enum RecordKind: String, Sendable, CaseIterable, Codable {
    case message, edit, delete, reaction
}

extension Named<RecordKind> {
    /// The event that announces such a record.
    var eventType: String {
        switch self {
        case .known(.message): "message.new"
        case .known(.edit): "message.edited"
        case .known(.delete): "message.deleted"
        case .known(.reaction): "message.reaction"
        case .unknown(let name): name
        }
    }
}

/// The progress of the caller's own message.
public enum MessageStatus: String, Sendable, CaseIterable, Codable {
    case sent, delivered, read
}

/// The content key of a message, sealed for one device: an element of `recipient_keys`.
public struct RecipientKey: GatewayObject {
    public let address: DeviceAddress
    public let encryptedKey: [UInt8]
    /// The identity key that it was sealed for.
    public let keyID: KeyID?

    public init(address: DeviceAddress, encryptedKey: [UInt8], keyID: KeyID? = nil) {
        (self.address, self.encryptedKey, self.keyID) = (address, encryptedKey, keyID)
    }

    /// For a device with published keys for which the sender has sealed nothing: an `encrypted_key` of 16 zero bytes.
    public static func leftOut(_ address: DeviceAddress, keyID: KeyID?) -> RecipientKey {
        RecipientKey(address: address, encryptedKey: leftOutKey, keyID: keyID)
    }

    private static let leftOutKey = [UInt8](repeating: 0, count: 16)

    /// Whether the sender has sealed nothing for this device.
    public var isLeftOut: Bool { encryptedKey == RecipientKey.leftOutKey }

    /// Reads a sent key and checks its bounds.
    init(sent object: JSONObject) throws(Rejection) {
        address = try DeviceAddress(members: object)
        encryptedKey = try object.base64("encrypted_key", lengths: Limits.encryptedKeyBytes).required("encrypted_key")
        keyID = try KeyID.read("key_id", of: object)
    }

    /// The list as JSON, in which form it is stored and passed on.
    public static func json(_ keys: [RecipientKey]) -> [UInt8] {
        var writer = JSONWriter()
        writer.array(keys) { $1.write(to: &$0) }
        return writer.finish()
    }

    /// Reads a stored list; anything else is empty.
    package static func list(json: [UInt8]) -> [RecipientKey] {
        let member = Array(#"{"keys":"#.utf8) + json + Array("}".utf8)
        let objects = (try? JSONObject(parsing: member).objects("keys", maximum: .max)) ?? []
        return objects.compactMap { try? RecipientKey(members: $0) }
    }

    package init<Pass: FieldPass<RecipientKey>>(fields pass: inout Pass) throws(Pass.Failure) {
        address = try pass.part(\.address)
        encryptedKey = try pass.required("encrypted_key", \.encryptedKey, as: .base64(0...Limits.packetBytes))
        keyID = try pass.optional("key_id", \.keyID, without: .omitted)
    }
}

/// Names an identity key: the first 8 bytes of its BLAKE2b-256 (protocol §5, "recipient key").
public struct KeyID: Hashable, Sendable {
    public static let length = 8

    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are 8 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == KeyID.length else { return nil }
        self.bytes = bytes
    }
}

extension KeyID: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.quoted { Base64.append(bytes, to: &$0) } }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> KeyID? {
        try object.base64(name, lengths: length...length).flatMap { KeyID($0) }
    }

    public static var schema: FieldSchema { .base64(length...length) }
}
