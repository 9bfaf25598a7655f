import CMosquittoBroker
import ParleyRules

/// The TCP socket of a client, whose number the broker's own record of the client tells.
///
/// The number is believed only if it is that of a TCP socket whose peer has the client's address, and later only as
/// long as the kernel says that it is the same socket: a number is used again, a cookie is not. What does not fit is no
/// socket.
struct ClientSocket: Hashable {
    /// What no other socket has had.
    let cookie: UInt64
    private let number: CInt

    init?(of client: BrokerClient) {
        number = client.socketNumber
        guard number >= 0, let cookie = ClientSocket.cookie(of: number), let peer = ClientSocket.peer(of: number),
            client.hasAddress(peer)
        else { return nil }
        self.cookie = cookie
        guard bytes != nil else { return nil }
    }

    /// What the broker has read from it and written to it; `nil` if it is not there any more.
    var bytes: SocketBytes? {
        var (read, written): (UInt64, UInt64) = (0, 0)
        guard ClientSocket.cookie(of: number) == cookie, unsafe parley_socket_bytes(number, &read, &written) else {
            return nil
        }
        return SocketBytes(read: Int(clamping: read), written: Int(clamping: written))
    }

    private static func cookie(of number: CInt) -> UInt64? {
        var cookie: UInt64 = 0
        return unsafe parley_socket_cookie(number, &cookie) ? cookie : nil
    }

    private static func peer(of number: CInt) -> [UInt8]? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe parley_socket_peer(number, &text, socklen_t(text.count)) else { return nil }
        return text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    }
}
