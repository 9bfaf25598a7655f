import HTTPClient

extension IPAddress {
    /// Whether it is a public address: neither one of a special purpose (RFC 6890 and later), nor one that carries such
    /// an address of IPv4.
    var isPublic: Bool {
        if isIPv4 { return !IPAddress.specialIPv4.contains { $0.contains(bytes) } }
        if let carried { return carried.isPublic }
        return IPAddress.globalUnicast.contains(bytes) && !IPAddress.specialIPv6.contains { $0.contains(bytes) }
    }

    /// The address of IPv4 that this one carries.
    private var carried: IPAddress? {
        for (block, offset) in IPAddress.carriers where block.contains(bytes) {
            return IPAddress(bytes: bytes[offset..<offset + 4])
        }
        return nil
    }

    private static let globalUnicast = Block([0x20], 3)

    /// Blocks whose addresses carry one of IPv4, and its offset.
    private static let carriers: [(Block, Int)] = [
        // Mapped (RFC 4291 §2.5.5.2), NAT64 (RFC 6052 §2.1), 6to4 (RFC 3056 §2).
        (Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96), 12),
        (Block([0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96), 12),
        (Block([0x20, 0x02], 16), 2),
    ]

    private static let specialIPv4: [Block] = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24),
        Block([192, 168], 16), Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24),
        // Multicast, reserved and broadcast.
        Block([224], 4), Block([240], 4),
        // Azure's own services for its machines, at an address that is public by the registries. Those of other clouds
        // are in blocks above: 169.254.169.254, 100.100.100.200 (Alibaba), 192.0.0.192 (Oracle).
        Block([168, 63, 129, 16], 32),
    ]

    /// Within global unicast.
    private static let specialIPv6: [Block] = [
        // Protocol assignments with Teredo and ORCHID; documentation, twice.
        Block([0x20, 0x01, 0x00], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32), Block([0x3F, 0xFF, 0x00], 20),
    ]

    /// A CIDR block.
    private struct Block {
        let prefix: [UInt8]
        let bits: Int

        init(_ prefix: [UInt8], _ bits: Int) {
            self.prefix = prefix
            self.bits = bits
        }

        func contains(_ address: [UInt8]) -> Bool {
            for index in 0..<(bits + 7) / 8 {
                let mask = index == bits / 8 ? UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8)) : 0xFF
                guard index < address.count, index < prefix.count, address[index] & mask == prefix[index] & mask else {
                    return false
                }
            }
            return true
        }
    }
}
