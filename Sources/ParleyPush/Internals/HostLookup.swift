import HTTPClient
import Platform

/// The addresses of a host, by `getaddrinfo`.
enum HostLookup {
    /// At most so many are looked at.
    private static let limit = 16

    /// In the order in which they are to be tried; it blocks for as long as the system's resolver takes.
    static func addresses(of host: String) -> [IPAddress] { find(host, flags: AI_ADDRCONFIG) }

    /// What a text says that is an address itself, in any of the forms that the system knows (`127.1`, `0x7f000001`).
    static func literal(_ host: String) -> IPAddress? { find(host, flags: AI_NUMERICHOST).first }

    private static func find(_ host: String, flags: Int32) -> [IPAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = StreamSocket.addressType
        unsafe hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = unsafe list
        while let entry = unsafe next, addresses.count < limit {
            if let address = unsafe read(entry.pointee) { addresses.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func read(_ entry: addrinfo) -> IPAddress? {
        guard let address = unsafe entry.ai_addr else { return nil }
        switch unsafe entry.ai_family {
        case AF_INET:
            guard unsafe Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in>.size else { return nil }
            let value = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            return unsafe withUnsafeBytes(of: value.sin_addr) { IPAddress(bytes: unsafe Array($0)) }
        case AF_INET6:
            guard unsafe Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in6>.size else { return nil }
            let value = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            return unsafe withUnsafeBytes(of: value.sin6_addr) { IPAddress(bytes: unsafe Array($0)) }
        default: return nil
        }
    }
}
