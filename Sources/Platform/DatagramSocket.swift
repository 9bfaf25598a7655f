/// Unix sockets that take messages one by one.
enum DatagramSocket {
    /// Of `sun_path`, in bytes, with room for the zero byte behind a path.
    static let longestName = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// `socket`, `sendto` and `close`, without a signal if nobody receives.
    ///
    /// - Parameter name: as in `sun_path`, at most ``longestName`` bytes.
    /// - Returns: whether the message was taken.
    static func send(_ message: [UInt8], to name: [UInt8]) -> Bool {
        guard name.count <= longestName, let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) else {
            return false
        }
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        // Of an abstract name the length is part; behind a path it includes the zero byte.
        let length = socklen_t(offset + name.count + (name.first == 0 ? 0 : 1))
        while true {
            let count = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe message.withUnsafeBytes { bytes in
                        unsafe sendto(descriptor, bytes.baseAddress, bytes.count, flags, address, length)
                    }
                }
            }
            guard count < 0, errno == EINTR else { return count == message.count }
        }
    }

    private static var type: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        #elseif canImport(Darwin)
            SOCK_DGRAM
        #else
            SOCK_DGRAM | Int32(SOCK_CLOEXEC)
        #endif
    }

    private static var flags: Int32 {
        #if canImport(Darwin)
            0
        #else
            Int32(MSG_NOSIGNAL)
        #endif
    }
}
