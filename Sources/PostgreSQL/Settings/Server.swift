/// The address of one server.
struct Server: Sendable {
    /// A name, an address or, from a slash on, the folder of a Unix socket; empty for libpq's own choice of one.
    let host: String
    /// An address that is connected to in place of the host, whose name is still the certificate's.
    let address: String
    let port: String

    /// Whether nobody but this machine sees what is sent.
    var isLocal: Bool {
        let target = address.isEmpty ? host : address
        // `@` begins a socket's name in Linux's abstract namespace.
        if target.hasPrefix("/") || target.hasPrefix("@") { return true }
        return target == "localhost" || target == "::1" || Server.isLoopback(target)
    }

    /// Whether it is an address of 127.0.0.0/8, and no name that looks like it.
    private static func isLoopback(_ address: String) -> Bool {
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// What libpq is told.
    var options: [String: String] {
        ["host": host, "hostaddr": address, "port": port].filter { !$0.value.isEmpty }
    }

    /// Takes the servers out of a URI's options: lists with commas.
    static func list(_ options: inout [String: String]) throws(SettingsFault) -> [Server] {
        func take(_ keyword: String) -> [String] {
            options.removeValue(forKey: keyword)?.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init) ?? []
        }
        let (hosts, addresses, ports) = (take("host"), take("hostaddr"), take("port"))
        let count = max(hosts.count, addresses.count, 1)
        guard hosts.isEmpty || addresses.isEmpty || hosts.count == addresses.count else { throw .hosts }
        guard ports.count <= 1 || ports.count == count, ports.allSatisfy({ $0.isEmpty || isPort($0) }) else {
            throw .port
        }
        return (0..<count).map { index in
            Server(
                host: hosts.isEmpty ? "" : hosts[index], address: addresses.isEmpty ? "" : addresses[index],
                port: ports.isEmpty ? "" : ports[ports.count == 1 ? 0 : index])
        }
    }

    private static func isPort(_ text: String) -> Bool { UInt16(text).map { $0 > 0 } ?? false }
}

extension Server: CustomStringConvertible {
    var description: String { (host.isEmpty ? address : host) + (port.isEmpty ? "" : ":\(port)") }
}
