import CCurl
import Platform

/// A request on its way, known to the loop's thread alone.
final class Transfer {
    let id: TransferID
    let place: HTTPPlace
    let trust: TrustStore
    private let request: HTTPRequest
    private let limits: HTTPLimits
    private let answer: @Sendable (Result<HTTPReply, SendFailure>) -> Void
    private var easy: EasyHandle

    /// How much of the body was handed over.
    private var sent = 0
    private var head = ReplyHead()
    private var body: [UInt8] = []
    /// Whether a connection stood and the request was begun on it.
    private var isIssued = false

    init(
        _ command: LoopCommand.Start, trust: TrustStore, limits: HTTPLimits, now: ContinuousClock.Instant
    ) throws(CurlError) {
        id = command.id
        place = command.place
        self.trust = trust
        request = command.request
        self.limits = limits
        answer = command.answer
        easy = try EasyHandle()
        try TransferCallbacks.install(for: self, on: easy)
        try setRequest()
        try setConnection()
        try easy.set(CURLOPT_TIMEOUT_MS, max(1, (command.end - now).wholeMilliseconds))
        try easy.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, limits.connect.wholeMilliseconds))
    }

    /// `CURL`
    var handle: UnsafeMutableRawPointer { unsafe easy.pointer }

    private func setRequest() throws(CurlError) {
        try easy.set(CURLOPT_URL, request.url)
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_PATH_AS_IS, 1)
        try easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try easy.set(CURLOPT_FOLLOWLOCATION, 0)
        try easy.set(CURLOPT_POST, 1)
        try easy.set(CURLOPT_POSTFIELDSIZE_LARGE, size: request.body.count)
        // Without a value, a name keeps libcurl from sending the header; with a semicolon it is sent empty.
        try easy.set(
            CURLOPT_HTTPHEADER,
            ["Accept:", "Expect:"]
                + request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" })
        // Over TLS what both sides speak. In clear text a connection would be waited for until its first answer.
        try easy.set(
            CURLOPT_HTTP_VERSION, request.isPlain ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        try easy.set(CURLOPT_PIPEWAIT, 1)
    }

    private func setConnection() throws(CurlError) {
        try easy.set(CURLOPT_NOSIGNAL, 1)
        // A resolver that does not answer would hold the thread when the request is given up.
        try easy.set(CURLOPT_QUICK_EXIT, 1)
        try easy.set(CURLOPT_PROXY, "")
        try easy.set(CURLOPT_NOPROXY, "*")
        if let address = place.address {
            // Of any host and port: no spelling of a name leads elsewhere.
            try easy.set(CURLOPT_CONNECT_TO, [address.isIPv4 ? "::\(address):" : "::[\(address)]:"])
        }
        try easy.set(CURLOPT_MAXAGE_CONN, Int(limits.idle.components.seconds))
        try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        // The store comes from `TrustStore`: read for each connection it would take a megabyte each time.
        try easy.set(CURLOPT_CAINFO, nil)
        try easy.set(CURLOPT_CAPATH, nil)
        try easy.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
    }

    // What libcurl asks for and hands over.

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = request.body[sent...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// - Returns: how much was taken: anything else than all of it ends the transfer.
    func append(head line: UnsafeRawBufferPointer) -> Int {
        unsafe head.append(line: Array(line), limit: limits.head) ? line.count : 0
    }

    /// - Returns: how much was taken: anything else than all of it ends the transfer.
    func append(body part: UnsafeRawBufferPointer) -> Int {
        unsafe body += part.prefix(max(0, limits.body - body.count))
        return body.count < limits.body ? part.count : 0
    }

    /// A connection stands, and the request is begun on it.
    func begin() { isIssued = true }

    // How it ends.

    /// Hands over what has come. What has come of an answer counts, whatever ended it: it is known by its status.
    ///
    /// - Returns: whether the time was over before an answer came on a connection that stood.
    func finish(_ code: CURLcode) -> Bool {
        guard !head.isWhole else {
            answer(
                .success(
                    HTTPReply(status: head.status, isHTTP2: head.isHTTP2, headers: head.headers, body: body)))
            return false
        }
        let failure = failure(code)
        answer(.failure(failure))
        return failure == .noAnswerInTime
    }

    func fail(_ failure: SendFailure) { answer(.failure(failure)) }

    func cancel() {
        let reason = "the sender has stopped"
        fail(isIssued ? .answerLost(reason) : .notSent(reason))
    }

    /// Whatever is not known to have come before the request was sent counts as an answer that was lost.
    private func failure(_ code: CURLcode) -> SendFailure {
        guard isIssued else { return .notSent(connectionFailure(code)) }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .noAnswerInTime
        case CURLE_OK, CURLE_GOT_NOTHING: return .answerLost("closed without an answer")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE,
            CURLE_SEND_FAIL_REWIND:
            return .answerLost("the connection broke")
        default: return .answerLost("the exchange failed")
        }
    }

    private func connectionFailure(_ code: CURLcode) -> String {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            easy.size(CURLINFO_CONNECT_TIME_T) > 0 ? "no TLS handshake in time" : "no connection in time"
        case CURLE_COULDNT_RESOLVE_HOST: "no such host"
        case CURLE_SSL_CONNECT_ERROR: "the TLS handshake failed"
        case CURLE_PEER_FAILED_VERIFICATION:
            // What OpenSSL has against a certificate has a code of its own; that the host has another name, libcurl
            // finds.
            easy.number(CURLINFO_SSL_VERIFYRESULT) == Int(X509_V_ERR_UNSPECIFIED)
                ? "the certificate is not the host's" : "the TLS handshake failed"
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: "not a URL"
        default: "no connection"
        }
    }
}

/// Which request something is about.
struct TransferID: Hashable, Sendable {
    let number: UInt64
}

extension Duration {
    /// Rounded up, at least nothing, at most a day.
    var wholeMilliseconds: Int {
        let bounded = min(max(self, .zero), .seconds(86_400))
        return Int(bounded.components.seconds) * 1000
            + Int((bounded.components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
