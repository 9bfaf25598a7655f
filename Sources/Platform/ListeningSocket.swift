/// A server's side of stream sockets, for loops that wait in ``waitForEvents(_:timeout:)``: no call blocks.
package enum ListeningSocket {
    /// What came of reading or writing.
    package enum Progress: Hashable, Sendable {
        /// So many bytes, at least one.
        case bytes(Int)
        /// Nothing now.
        case later
        /// The other side is gone, or has sent everything.
        case ended
    }

    /// What came of accepting a connection.
    package enum Acceptance: Hashable, Sendable {
        /// Its descriptor, which the caller closes.
        case connection(Int32)
        case nobody
        /// Somebody waits, and there is no descriptor or memory for them.
        case exhausted
    }

    /// `socket`, `bind` and `listen` on 127.0.0.1.
    ///
    /// - Parameter port: 0 for one that is free.
    /// - Returns: with the port.
    package static func listen(
        onLoopbackPort port: UInt16, backlog: Int32
    ) throws(SystemError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = try StreamSocket.make(family: AF_INET)
        do throws(SystemError) {
            // A port whose last connections linger is free.
            var isOn: Int32 = 1
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout.size(ofValue: address))
            let size = length
            try check("bind", unsafe withAddress(&address) { unsafe bind(descriptor, $0, size) })
            try check("listen", Platform.listen(descriptor, backlog))
            try check("getsockname", unsafe withAddress(&address) { unsafe getsockname(descriptor, $0, &length) })
            return (descriptor, UInt16(bigEndian: address.sin_port))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// `accept`
    package static func accept(_ listener: Int32) -> Acceptance {
        let descriptor = Platform.accept(listener, nil, nil)
        guard descriptor >= 0 else {
            return [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) ? .exhausted : .nobody
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return .connection(descriptor)
    }

    /// `read`
    ///
    /// - Parameter bytes: what was read is appended to it.
    package static func read(_ descriptor: Int32, into bytes: inout [UInt8], atMost count: Int) -> Progress {
        let begin = bytes.count
        bytes += repeatElement(0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe Platform.read(descriptor, buffer.baseAddress.map { unsafe $0 + begin }, count)
        }
        let failure = errno
        bytes.removeLast(count - max(0, read))
        return progress(read, failure)
    }

    /// `send` of what follows the first `offset` bytes, without a signal if nobody receives them.
    package static func write(_ bytes: [UInt8], from offset: Int, to descriptor: Int32) -> Progress {
        let written = unsafe bytes.withUnsafeBytes { buffer in
            unsafe send(
                descriptor, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset,
                StreamSocket.sendFlags)
        }
        return progress(written, errno)
    }

    /// `shutdown`: the other side reads the end.
    package static func endWriting(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    private static func progress(_ result: Int, _ failure: Int32) -> Progress {
        if result > 0 { return .bytes(result) }
        return result < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(failure) ? .later : .ended
    }

    private static func check(_ call: String, _ code: Int32) throws(SystemError) {
        guard code == 0 else { throw SystemError(call: call, errno: errno) }
    }

    private static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}
