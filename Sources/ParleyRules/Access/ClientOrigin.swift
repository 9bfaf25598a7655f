import ParleyProtocol

/// Where a client has come from.
package enum ClientOrigin: Hashable, Sendable {
    /// The Unix-socket listener, which only the gateway's own user can reach.
    case unixSocket
    /// TCP from this machine: a program of anybody who has an account here, or a proxy in front of the broker.
    case loopback
    /// TCP from another machine, or WebSocket from anywhere: some brokers take the address of a WebSocket client from a
    /// header that it writes itself.
    case elsewhere

    /// - Parameter address: as the broker gives it: an internet address, or, for a Unix-socket listener, the path of
    ///   the socket as it was configured. That may be relative, and is known by its slash, which no internet address
    ///   has.
    package init(address: Span<UInt8>, isWebSocket: Bool) {
        if isWebSocket {
            self = .elsewhere
        } else if address.contains(UInt8(ascii: "/")) {
            self = .unixSocket
        } else if address.equals("::1") || address.starts(with: "127.") || address.starts(with: "::ffff:127.") {
            self = .loopback
        } else {
            self = .elsewhere
        }
    }
}

/// From where an operator's token signs in: `plugin_opt_operator_listeners`.
package enum OperatorListeners: String, Hashable, Sendable, CaseIterable {
    /// By the Unix socket alone.
    case unixSocket = "unix"
    /// By the Unix socket, and by TCP from this machine. Behind a proxy on this machine that is everybody.
    case loopback
    case any

    func includes(_ origin: ClientOrigin) -> Bool {
        switch self {
        case .unixSocket: origin == .unixSocket
        case .loopback: origin != .elsewhere
        case .any: true
        }
    }
}

extension Span<UInt8> {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        for index in 0..<count where self[index] == byte { return true }
        return false
    }

    fileprivate func starts(with text: String) -> Bool {
        let length = text.utf8.count
        return count >= length && extracting(first: length).equals(text)
    }
}
