/// A user's device, by its two ids.
package struct Device: Hashable, Sendable, CustomStringConvertible {
    package let user: String
    package let id: String

    package init(user: String, id: String) {
        self.user = user
        self.id = id
    }

    package var description: String { "\(user)/\(id)" }
}

/// Who a connection is: `uid:did`, or `uid:did:x` for a further one.
package struct ClientName: Hashable, Sendable, CustomStringConvertible {
    package let device: Device
    package let further: String?

    package init(_ device: Device, further: String? = nil) {
        self.device = device
        self.further = further
    }

    /// `nil` for what is no client id of a device (protocol §1).
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || parts.count == 3, isID(parts[0]), isID(parts[1]) else { return nil }
        guard parts.count == 2 || isID(parts[2], longest: 16) else { return nil }
        self.init(Device(user: parts[0], id: parts[1]), further: parts.count == 3 ? parts[2] : nil)
    }

    package var description: String { ([device.user, device.id] + (further.map { [$0] } ?? [])).joined(separator: ":") }
}

/// 1 to 64 of `A-Z a-z 0-9 _ -` (protocol §1).
func isID(_ text: String, longest: Int = 64) -> Bool {
    (1...longest).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
}
