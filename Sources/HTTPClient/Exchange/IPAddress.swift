/// An address of IPv4 or IPv6.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes.
    package let bytes: [UInt8]

    /// - Returns: `nil` for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    package var isIPv4: Bool { bytes.count == 4 }

    /// In the form of a socket address.
    package var description: String {
        if isIPv4 { return bytes.map { String($0) }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}
