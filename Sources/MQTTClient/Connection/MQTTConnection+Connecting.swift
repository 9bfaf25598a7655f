import Platform

extension MQTTConnection {
    func awaitVerdict(deadline: ContinuousClock.Instant) throws(MQTTError) -> ConnectVerdict {
        do throws(MQTTError) {
            try handle.startConnecting(configuration)
        } catch .connectionLost(let errno) {
            throw .unreachable(errno: errno)
        }
        var isReached = false
        while true {
            if let verdict = handle.record.verdict { return verdict }
            let remaining = deadline - .now
            guard remaining > .zero else { throw .timedOut }
            var watched = [WatchedDescriptor(handle.socket, write: handle.wantsWrite || !isReached)]
            do throws(SystemError) {
                guard try waitForEvents(&watched, timeout: remaining) > 0 else { continue }
            } catch {
                throw .unreachable(errno: error.errno)
            }
            if !isReached {
                let failure = StreamSocket.pendingError(of: handle.socket)
                guard failure != ECONNRESET else { throw .closedWithoutVerdict }
                guard failure == 0 else { throw .unreachable(errno: failure) }
                try requireListener()
                isReached = true
            }
            try exchange()
        }
    }

    /// The library begins with TLS before there is a connection, which takes the attempt's error out of the socket.
    private func requireListener() throws(MQTTError) {
        guard case .tls(let host, let port, _) = configuration.endpoint, !Syscalls.hasPeer(handle.socket) else {
            return
        }
        // Reset by a peer that was there, or refused?
        switch TCPProbe.look(host: host, port: port, timeout: .seconds(2)) {
        case .answers: throw .closedWithoutVerdict
        case .unreachable(let errno): throw .unreachable(errno: errno)
        case .nameNotResolved: throw .nameNotResolved(code: EAI_NONAME)
        }
    }

    /// Reads before it writes: a TLS handshake proceeds only in the library's read, whichever of the two it waits for.
    private func exchange() throws(MQTTError) {
        if isAnsweredInTLS { throw .answeredInTLS }
        do throws(MQTTError) {
            try handle.loopRead()
            if handle.record.verdict != nil { return }
            try requireSocket()
            if Syscalls.peek(handle.socket) == .end { throw .closedWithoutVerdict }
            try handle.loopWrite()
        } catch {
            if handle.record.verdict != nil { return }
            if case .connectionLost = error { throw .closedWithoutVerdict }
            throw error
        }
    }

    /// Whether plain MQTT was answered with the beginning of TLS.
    private var isAnsweredInTLS: Bool {
        if case .tls = configuration.endpoint { return false }
        guard case .byte(let byte) = Syscalls.peek(handle.socket) else { return false }
        return TLSRecord.types.contains(byte)
    }
}
