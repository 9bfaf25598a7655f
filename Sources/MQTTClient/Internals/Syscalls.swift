import Platform

/// The system calls on sockets that this module makes.
enum Syscalls {
    /// `close`. Not retried: on Linux the descriptor is gone even after EINTR.
    static func close(_ descriptor: Int32) {
        _ = Platform.close(descriptor)
    }

    /// `getsockopt` with `SO_ERROR`: how a connection attempt ended, 0 if well or not yet.
    static func pendingError(of socket: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &value, &length) == 0 else { return errno }
        return value
    }

    /// What a socket has for its reader.
    enum Waiting: Equatable {
        case nothing
        case byte(UInt8)
        /// The peer has closed, and everything it sent has been read.
        case end
    }

    /// `recv` with `MSG_PEEK`: what the next read would begin with.
    static func peek(_ socket: Int32) -> Waiting {
        var byte: UInt8 = 0
        switch unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) {
        case 1: return .byte(byte)
        case 0: return .end
        default: return .nothing
        }
    }
}
