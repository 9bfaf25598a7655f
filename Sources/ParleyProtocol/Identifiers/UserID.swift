/// The text of an id that is a topic level: 1 to 64 of `A-Z a-z 0-9 _ -` (protocol §1).
public struct LevelText: Hashable, Sendable {
    public let text: String

    public init?(parsing bytes: Span<UInt8>) {
        guard isLevelIdentifier(bytes, maximumLength: LevelText.maximumLength) else { return nil }
        text = String(copying: bytes)
    }

    /// The caller has checked the text.
    package init(validated text: String) { self.text = text }

    /// In bytes.
    static let maximumLength = 64
}

/// An id that is a topic level. An app writes one as a literal, which traps if it is none, or reads one by an
/// initializer that is `nil` or throws.
///
/// It is ASCII, so that comparing and hashing its `String` compares and hashes its bytes.
public protocol LevelIdentifier: Hashable, Comparable, Sendable, CodableAsText, ExpressibleByStringLiteral, JSONKeyable
{
    var text: String { get }
    init(_ checked: LevelText)
}

extension LevelIdentifier {
    /// The longest id, in bytes.
    public static var maximumLength: Int { LevelText.maximumLength }

    public init?(parsing bytes: Span<UInt8>) {
        guard let checked = LevelText(parsing: bytes) else { return nil }
        self.init(checked)
    }

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(parsing: bytes.span)
    }

    /// The caller has checked the text.
    package init(validated text: String) { self.init(LevelText(validated: text)) }

    public var description: String { text }

    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func append(to output: inout [UInt8]) { output.append(contentsOf: text.utf8) }

    public static var textForm: String { "an id of 1 to 64 letters, digits, _ or -" }
}

package func isLevelIdentifier(_ bytes: Span<UInt8>, maximumLength: Int) -> Bool {
    guard bytes.count >= 1, bytes.count <= maximumLength else { return false }
    for index in 0..<bytes.count {
        switch bytes[index] {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: continue
        default: return false
        }
    }
    return true
}

extension String {
    /// The text of bytes, with replacement characters for invalid UTF-8.
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { buffer in unsafe String(decoding: buffer, as: UTF8.self) }
    }
}

public struct UserID: LevelIdentifier {
    public let text: String
    public init(_ checked: LevelText) { text = checked.text }
}

public struct DeviceID: LevelIdentifier {
    public let text: String
    public init(_ checked: LevelText) { text = checked.text }
}

/// One device of one user: the subject of rights, tokens and revocation. An app writes one as a literal,
/// `"alice/phone"`, which traps if it is none, or reads one by an initializer that is `nil` or throws.
public struct DeviceAddress: Hashable, Comparable, Sendable, CodableAsText, ExpressibleByStringLiteral {
    public let user: UserID
    public let device: DeviceID

    public init(user: UserID, device: DeviceID) { (self.user, self.device) = (user, device) }

    /// From `uid/did`.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let user = UserID(parts[0]), let device = DeviceID(parts[1]) else { return nil }
        self.init(user: user, device: device)
    }

    /// `uid/did`, as the command line writes it.
    public var description: String { "\(user)/\(device)" }

    public static var textForm: String { "a user's id and a device's with a / between them" }

    public static func < (left: DeviceAddress, right: DeviceAddress) -> Bool {
        left.user == right.user ? left.device < right.device : left.user < right.user
    }
}

/// An MQTT client id: `uid:did`, or `uid:did:x` for a further connection of the same device (protocol §1).
public struct ClientID: Hashable, Sendable, CustomStringConvertible {
    public let address: DeviceAddress
    /// Tells a further connection of the device from its main one: 1 to 16 of the id alphabet.
    public let connection: String?

    /// - Returns: `nil` if `connection` is not 1 to 16 of the id alphabet.
    public init?(address: DeviceAddress, connection: String? = nil) {
        if let connection {
            let bytes = Array(connection.utf8)
            guard isLevelIdentifier(bytes.span, maximumLength: 16) else { return nil }
        }
        self.address = address
        self.connection = connection
    }

    public init?(parsing bytes: Span<UInt8>) {
        guard let levels = Levels(of: bytes, separator: UInt8(ascii: ":")), levels.count == 2 || levels.count == 3,
            let address = levels.address(at: 0, in: bytes)
        else { return nil }
        self.address = address
        guard levels.count == 3 else {
            connection = nil
            return
        }
        let extra = bytes.extracting(levels[2])
        guard isLevelIdentifier(extra, maximumLength: 16) else { return nil }
        connection = String(copying: extra)
    }

    public var description: String {
        connection.map { "\(address.user):\(address.device):\($0)" } ?? "\(address.user):\(address.device)"
    }
}
