import CCurl
import Platform

/// The connections of one origin and their requests, used by the loop's thread alone.
///
/// libcurl has no thread here: it names its sockets and its deadline, and the loop calls it.
@safe final class Pool {
    let origin: HTTPOrigin
    /// `CURLM`
    private let multi: UnsafeMutableRawPointer
    private(set) var transfers: [TransferID: Transfer] = [:]
    /// The sockets that libcurl waits for.
    private(set) var sockets: [Int32: (reads: Bool, writes: Bool)] = [:]
    /// The time of the next call to libcurl, whatever its sockets do.
    private(set) var deadline: ContinuousClock.Instant?
    /// The last beginning or end of a request.
    private(set) var lastUsed = ContinuousClock.now
    /// An HTTP/2 connection that has died silently takes request after request and answers none: after one without an
    /// answer, the pool takes no more requests, and closes when it has none.
    private(set) var isGivenUp = false

    /// `curl_multi_init`
    init(_ origin: HTTPOrigin, limits: HTTPLimits) throws(CurlError) {
        self.origin = origin
        guard let multi = unsafe curl_multi_init() else { throw CurlError(code: CURLE_OUT_OF_MEMORY.rawValue) }
        unsafe self.multi = unsafe multi
        try set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        try set(CURLMOPT_MAX_HOST_CONNECTIONS, limits.connections)
        try set(CURLMOPT_MAXCONNECTS, limits.connections)
        try set(CURLMOPT_MAX_CONCURRENT_STREAMS, limits.streams)
        try unsafe CurlLibrary.check(
            parley_multi_set_callbacks(
                multi, Unmanaged.passUnretained(self).toOpaque(),
                { _, socket, what, context, _ in
                    unsafe Pool.pool(context)?.watch(socket, what)
                    return 0
                },
                { _, milliseconds, context in
                    unsafe Pool.pool(context)?.wait(milliseconds)
                    return 0
                }))
    }

    /// `curl_multi_cleanup`: closes its connections, which must have no requests.
    deinit {
        // No callbacks during the cleanup.
        unsafe parley_multi_set_callbacks(multi, nil, nil, nil)
        unsafe curl_multi_cleanup(multi)
    }

    /// The requests that have ended since the loop last asked.
    private var ended: [TransferID] = []

    var isUnused: Bool { transfers.isEmpty }

    func takeEnded() -> [TransferID] {
        defer { ended = [] }
        return ended
    }

    /// `curl_multi_add_handle`
    func start(_ transfer: Transfer) throws(CurlError) {
        try unsafe CurlLibrary.check(curl_multi_add_handle(multi, transfer.handle))
        transfers[transfer.id] = transfer
        lastUsed = .now
    }

    /// `curl_multi_remove_handle`: gives a request up. Its stream is reset, or its connection closed.
    ///
    /// - Returns: `nil` for a request of another pool.
    func remove(_ id: TransferID) -> Transfer? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        unsafe curl_multi_remove_handle(multi, transfer.handle)
        lastUsed = .now
        return transfer
    }

    /// `curl_multi_socket_action`: a socket is ready.
    func act(_ descriptor: WatchedDescriptor) {
        let what = (descriptor.isReadable ? CURL_CSELECT_IN : 0) | (descriptor.isWritable ? CURL_CSELECT_OUT : 0)
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, descriptor.descriptor, what, &running)
        finish()
    }

    /// `curl_multi_socket_action`: the deadline has passed.
    func act() {
        deadline = nil
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        finish()
    }

    /// `curl_multi_info_read`
    private func finish() {
        var code = CURLE_OK
        while let easy = unsafe parley_multi_next_done(multi, &code) {
            guard let transfer = unsafe TransferCallbacks.transfer(parley_easy_context(easy)) else { return }
            _ = remove(transfer.id)
            ended.append(transfer.id)
            if transfer.finish(code) { isGivenUp = true }
        }
    }

    private func set(_ option: CURLMoption, _ value: Int) throws(CurlError) {
        try unsafe CurlLibrary.check(parley_multi_set_number(multi, option, value))
    }

    private func watch(_ socket: Int32, _ what: Int32) {
        switch what {
        case CURL_POLL_IN: sockets[socket] = (true, false)
        case CURL_POLL_OUT: sockets[socket] = (false, true)
        case CURL_POLL_INOUT: sockets[socket] = (true, true)
        default: sockets[socket] = nil
        }
    }

    private func wait(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    private static func pool(_ context: UnsafeMutableRawPointer?) -> Pool? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<Pool>.fromOpaque(context).takeUnretainedValue()
    }
}
