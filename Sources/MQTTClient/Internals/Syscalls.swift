import Platform

/// The system calls on sockets that this module makes.
enum Syscalls {
    /// `getpeername`: whether a socket is connected.
    static func hasPeer(_ socket: Int32) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getpeername(socket, pointer, &length) == 0
            }
        }
    }

    /// The next data of a socket.
    enum Waiting: Equatable {
        case nothing
        case byte(UInt8)
        /// The peer has closed, and everything it sent has been read.
        case end
    }

    /// `recv` with `MSG_PEEK`
    static func peek(_ socket: Int32) -> Waiting {
        var byte: UInt8 = 0
        switch unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) {
        case 1: return .byte(byte)
        case 0: return .end
        default: return .nothing
        }
    }
}
