import ParleyProtocol
import Sodium

/// The code that a new device shows and another device of the user scans: it binds the new device's offer (protocol §6,
/// "Linking").
///
/// As text: `parley-link/1/UID/DID/` and 32 bytes in base64url without padding.
public struct LinkCode: Hashable, Sendable {
    private static let name = "parley-link"
    private static let version = 1
    private static let separator = UInt8(ascii: "/")
    /// Longer than any code, in bytes.
    private static let longest = 256

    /// The device to be linked.
    public let address: DeviceAddress
    private let digest: [UInt8]

    package init(_ offer: LinkOffer, of address: DeviceAddress) throws(SodiumError) {
        self.address = address
        digest = try BLAKE2b.hash(offer.codePreimage(of: address).span, length: .bytes32)
    }

    /// Reads a code that was scanned or typed in.
    public init(_ text: String) throws(LinkCodeError) {
        guard text.utf8.count <= LinkCode.longest else { throw .unreadable }
        let fields = text.utf8.split(separator: LinkCode.separator, omittingEmptySubsequences: false).map(Array.init)
        guard fields.count >= 2, fields[0] == Array(LinkCode.name.utf8) else { throw .unreadable }
        guard fields[1] == Array(String(LinkCode.version).utf8) else {
            let version = Int(String(decoding: fields[1], as: UTF8.self)) ?? 0
            throw version > LinkCode.version ? .newerVersion : .unreadable
        }
        guard fields.count == 5, let user = UserID(String(decoding: fields[2], as: UTF8.self)),
            let device = DeviceID(String(decoding: fields[3], as: UTF8.self))
        else { throw .unreadable }
        let characters = fields[4]
        guard let digest = Base64URL.decode(characters.span), digest.count == 32 else { throw .unreadable }
        address = DeviceAddress(user: user, device: device)
        self.digest = digest
    }

    /// The text, for a QR code too.
    public var text: String {
        var text = Array("\(LinkCode.name)/\(LinkCode.version)/\(address.user)/\(address.device)/".utf8)
        Base64URL.append(digest.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the code binds this offer of its device.
    public func binds(_ offer: LinkOffer) -> Bool {
        guard let expected = try? BLAKE2b.hash(offer.codePreimage(of: address).span, length: .bytes32) else {
            return false
        }
        return equalInConstantTime(expected.span, digest.span)
    }
}

/// Why a text is no link code.
public enum LinkCodeError: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case unreadable
    case newerVersion

    public var description: String {
        switch self {
        case .unreadable: "this is no code to link a device by, or not the whole of it"
        case .newerVersion: "the code is of a later version: update the program that reads it"
        }
    }
}
