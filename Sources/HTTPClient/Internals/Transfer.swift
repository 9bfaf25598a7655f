import CCurl
import Platform

/// A request on its way, used by the loop's thread alone.
final class Transfer {
    let id: TransferID
    let origin: HTTPOrigin
    let trust: TrustStore
    private let request: HTTPRequest
    private let limits: HTTPLimits
    private let answer: @Sendable (Result<HTTPReply, SendFailure>) -> Void
    private var easy: EasyHandle

    /// The number of body bytes sent.
    private var sent = 0
    private var head = ReplyHead()
    private var body: [UInt8] = []
    /// Whether the request was begun on an open connection.
    private var isIssued = false

    init(
        _ command: LoopCommand.Start, trust: TrustStore, limits: HTTPLimits, now: ContinuousClock.Instant
    ) throws(CurlError) {
        id = command.id
        origin = command.origin
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
        // A name without a value keeps libcurl from sending the header; with a semicolon it is sent empty.
        try easy.set(
            CURLOPT_HTTPHEADER,
            ["Accept:", "Expect:"]
                + request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" })
        // Over TLS the version that both sides speak; in clear text HTTP/1.1, as requests would else wait for a
        // connection's first answer.
        try easy.set(
            CURLOPT_HTTP_VERSION, request.isPlain ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        try easy.set(CURLOPT_PIPEWAIT, 1)
    }

    private func setConnection() throws(CurlError) {
        try easy.set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a resolver without an answer would hold the thread when the request is given up.
        try easy.set(CURLOPT_QUICK_EXIT, 1)
        try easy.set(CURLOPT_PROXY, "")
        try easy.set(CURLOPT_NOPROXY, "*")
        if let address = origin.address {
            // For any host and port, so that no spelling of a name leads elsewhere.
            try easy.set(CURLOPT_CONNECT_TO, [address.isIPv4 ? "::\(address):" : "::[\(address)]:"])
        }
        try easy.set(CURLOPT_MAXAGE_CONN, Int(limits.idle.components.seconds))
        try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        // The store comes from `TrustStore`; libcurl's own would take a megabyte for each connection.
        try easy.set(CURLOPT_CAINFO, nil)
        try easy.set(CURLOPT_CAPATH, nil)
        try easy.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
    }

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = request.body[sent...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// - Returns: the number of bytes taken; any but all of them ends the transfer.
    func append(head line: UnsafeRawBufferPointer) -> Int {
        unsafe head.append(line: Array(line), limit: limits.head) ? line.count : 0
    }

    /// - Returns: the number of bytes taken; any but all of them ends the transfer.
    func append(body part: UnsafeRawBufferPointer) -> Int {
        unsafe body += part.prefix(max(0, limits.body - body.count))
        return body.count < limits.body ? part.count : 0
    }

    /// Notes that the request is begun on an open connection.
    func begin() { isIssued = true }

    /// Reports the result. An answer with a complete head counts, however the transfer ended.
    ///
    /// - Returns: whether the time ran out before an answer on an open connection.
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

    /// An end that is not known to precede the sending counts as a lost answer.
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
            // OpenSSL's objection to a certificate has a code; libcurl itself finds a wrong host name.
            easy.number(CURLINFO_SSL_VERIFYRESULT) == Int(X509_V_ERR_UNSPECIFIED)
                ? "the certificate is not the host's" : "the TLS handshake failed"
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: "not a URL"
        default: "no connection"
        }
    }
}

struct TransferID: Hashable, Sendable {
    let number: UInt64
}

extension Duration {
    /// Rounded up, from zero to a day.
    var wholeMilliseconds: Int {
        let bounded = min(max(self, .zero), .seconds(86_400))
        return Int(bounded.components.seconds) * 1000
            + Int((bounded.components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
