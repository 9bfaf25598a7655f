import CHTTPDoubles

/// A server's end of a connection of HTTP/2, known to one thread: frames by nghttp2.
@safe final class HTTP2Connection {
    private struct Incoming {
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    private let stream: ServerStream
    private let react: ([String: String], [UInt8]) -> HTTP2Double.Reaction
    /// `nghttp2_session`
    private var session: OpaquePointer?
    private var incoming: [Int32: Incoming] = [:]
    /// What is left of the answers' bodies.
    private var outgoing: [Int32: [UInt8]] = [:]
    private var isBroken = false

    init?(_ stream: ServerStream, react: @escaping ([String: String], [UInt8]) -> HTTP2Double.Reaction) {
        self.stream = stream
        self.react = react
        unsafe session = nil
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
        defer { unsafe nghttp2_session_callbacks_del(callbacks) }
        unsafe HTTP2Connection.install(callbacks)
        guard unsafe nghttp2_session_server_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque()) == 0
        else { return nil }
    }

    deinit { unsafe nghttp2_session_del(session) }

    /// Until the client closes, or a reaction breaks the connection.
    func run() {
        unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil, 0)
        guard flush() else { return }
        while let bytes = stream.read() {
            let count = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe nghttp2_session_mem_recv(session, buffer.baseAddress, buffer.count)
            }
            guard count == bytes.count, flush(), !isBroken else { return }
        }
    }

    private func flush() -> Bool {
        while true {
            var start: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(session, &start)
            guard count > 0, let start = unsafe start else { return count == 0 }
            guard unsafe stream.write(Array(UnsafeBufferPointer(start: start, count: count))) else { return false }
        }
    }

    private static func install(_ callbacks: OpaquePointer?) {
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            guard let own = unsafe HTTP2Connection.connection(context), let frame = unsafe frame else { return 0 }
            let name = unsafe HTTP2Connection.text(name, nameLength)
            unsafe own.incoming[frame.pointee.hd.stream_id, default: Incoming()].headers[name] =
                unsafe HTTP2Connection.text(value, valueLength)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, length, context in
            guard let own = unsafe HTTP2Connection.connection(context) else { return 0 }
            unsafe own.incoming[id, default: Incoming()].body += UnsafeBufferPointer(start: bytes, count: length)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let own = unsafe HTTP2Connection.connection(context), let frame = unsafe frame else { return 0 }
            let header = unsafe frame.pointee.hd
            guard UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0,
                let whole = own.incoming.removeValue(forKey: header.stream_id)
            else { return 0 }
            own.perform(own.react(whole.headers, whole.body), header.stream_id)
            return 0
        }
    }

    private static func connection(_ context: UnsafeMutableRawPointer?) -> HTTP2Connection? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<HTTP2Connection>.fromOpaque(context).takeUnretainedValue()
    }

    private static func text(_ start: UnsafePointer<UInt8>?, _ length: Int) -> String {
        unsafe String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
    }

    private func perform(_ reaction: HTTP2Double.Reaction, _ id: Int32) {
        switch reaction {
        case .silence: break
        case .breakOff: isBroken = true
        case .refuse: reset(id, NGHTTP2_REFUSED_STREAM)
        case .cancel: reset(id, NGHTTP2_CANCEL)
        case .goAway: goAway(after: 0)
        case .goAwayAfter:
            goAway(after: id)
            isBroken = true
        case .answerAndLeave(let status):
            goAway(after: id)
            answer(id, [(":status", String(status))], hasBody: false)
        case .answer(let status, let headers, let body):
            if !body.isEmpty { outgoing[id] = Array(body.utf8) }
            answer(id, [(":status", String(status))] + headers, hasBody: !body.isEmpty)
        }
    }

    private func reset(_ id: Int32, _ code: nghttp2_error_code) {
        unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, code.rawValue)
    }

    private func goAway(after id: Int32) {
        unsafe nghttp2_submit_goaway(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, NGHTTP2_NO_ERROR.rawValue, nil, 0)
    }

    private func answer(_ id: Int32, _ headers: [(String, String)], hasBody: Bool) {
        // One after the other in one buffer, to which the list points; nghttp2 copies them.
        var bytes: [UInt8] = []
        let places = headers.map { header in
            let start = bytes.count
            bytes += Array(header.0.utf8) + Array(header.1.utf8)
            return (start, header.0.utf8.count, header.1.utf8.count)
        }
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let list = unsafe places.map { start, name, value in
                unsafe nghttp2_nv(
                    name: base + start, value: base + start + name, namelen: name, valuelen: value,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
            }
            var provider = unsafe nghttp2_data_provider()
            unsafe provider.read_callback = { _, id, target, room, flags, _, context in
                guard let own = unsafe HTTP2Connection.connection(context) else { return 0 }
                return unsafe own.readBody(
                    of: id, into: UnsafeMutableRawBufferPointer(start: target, count: room), flags)
            }
            unsafe list.withUnsafeBufferPointer { list in
                _ =
                    if hasBody {
                        unsafe nghttp2_submit_response(session, id, list.baseAddress, list.count, &provider)
                    } else {
                        unsafe nghttp2_submit_response(session, id, list.baseAddress, list.count, nil)
                    }
            }
        }
    }

    private func readBody(
        of id: Int32, into target: UnsafeMutableRawBufferPointer, _ flags: UnsafeMutablePointer<UInt32>?
    ) -> Int {
        let part = (outgoing[id] ?? []).prefix(target.count)
        unsafe target.copyBytes(from: part)
        outgoing[id]?.removeFirst(part.count)
        if outgoing[id]?.isEmpty != false { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return part.count
    }
}
