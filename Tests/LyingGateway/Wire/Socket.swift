import Glibc

/// A system call has failed.
struct SocketError: Error, CustomStringConvertible {
    let call: String
    let number: CInt

    init(_ call: String) {
        self.call = call
        number = errno
    }

    var description: String { "\(call) failed with \(number)" }
}

/// The system calls of a listener and its connections on the loopback interface. Nothing blocks but ``wait(_:)``.
enum Socket {
    /// - Parameter port: 0 for one that is free.
    static func listen(on port: UInt16) throws(SocketError) -> (descriptor: CInt, port: UInt16) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        doNotBlock(descriptor)
        set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(descriptor, address, length) == 0, Glibc.listen(descriptor, 64) == 0 else {
                    return CInt(-1)
                }
                return unsafe getsockname(descriptor, address, &length)
            }
        }
        guard code == 0 else {
            let error = SocketError("bind")
            close(descriptor)
            throw error
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// - Returns: `nil` where nobody waits to be let in.
    static func accept(_ listener: CInt) -> CInt? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        doNotBlock(descriptor)
        // Replies are small, and somebody waits for each.
        set(CInt(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
        return descriptor
    }

    private static func doNotBlock(_ descriptor: CInt) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func set(_ level: CInt, _ option: CInt, on descriptor: CInt) {
        var one: CInt = 1
        unsafe setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Adds what has come to `input`.
    ///
    /// - Returns: whether the connection goes on.
    static func receive(from descriptor: CInt, into input: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        input += buffer.prefix(count)
        return true
    }

    /// Sends as much of `output` as there is room for, and takes it out.
    ///
    /// - Returns: whether the connection goes on.
    static func send(_ output: inout [UInt8], to descriptor: CInt) -> Bool {
        while !output.isEmpty {
            let count = unsafe output.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            output.removeFirst(count)
        }
        return true
    }

    /// Waits until one of these has something to read, or room where it waits to write.
    static func wait(_ watched: [(descriptor: CInt, isWriting: Bool)]) -> Set<CInt> {
        var descriptors = watched.map { each in
            pollfd(fd: each.descriptor, events: Int16(POLLIN) | (each.isWriting ? Int16(POLLOUT) : 0), revents: 0)
        }
        unsafe poll(&descriptors, nfds_t(descriptors.count), -1)
        return Set(descriptors.filter { $0.revents != 0 }.map(\.fd))
    }

    /// What wakes ``wait(_:)`` from another thread (`pipe`).
    static func makeBell() throws(SocketError) -> Bell {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SocketError("pipe") }
        for end in ends { doNotBlock(end) }
        return Bell(heard: ends[0], rung: ends[1])
    }

    /// The two ends of a pipe. A full one was rung often enough.
    struct Bell: Sendable {
        let heard: CInt
        fileprivate let rung: CInt

        func ring() {
            var byte: UInt8 = 1
            unsafe write(rung, &byte, 1)
        }

        func silence() {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while unsafe read(heard, &buffer, buffer.count) == buffer.count {}
        }

        func close() {
            Socket.close(heard)
            Socket.close(rung)
        }
    }

    static func close(_ descriptor: CInt) { _ = Glibc.close(descriptor) }
}
