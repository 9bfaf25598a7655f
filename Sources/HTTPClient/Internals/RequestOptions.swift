import CCurl

// The options of a handle for a request, and what became of it.

extension EasyHandle {
    mutating func set(_ request: HTTPRequest) throws(CurlError) {
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        switch request.method {
        case .get: try set(CURLOPT_HTTPGET, 1)
        case .head: try set(CURLOPT_NOBODY, 1)
        case .delete:
            try set(CURLOPT_HTTPGET, 1)
            try set(CURLOPT_CUSTOMREQUEST, "DELETE")
        case .put:
            try set(CURLOPT_UPLOAD, 1)
            try set(CURLOPT_INFILESIZE_LARGE, size: request.body.count)
        case .post, .patch:
            try set(CURLOPT_POST, 1)
            if request.method == .patch { try set(CURLOPT_CUSTOMREQUEST, "PATCH") }
            try set(CURLOPT_POSTFIELDSIZE_LARGE, size: request.body.count)
        }
        // A name without a value keeps libcurl from sending the header; with a semicolon it is sent empty.
        try set(
            CURLOPT_HTTPHEADER,
            ["Accept:", "Expect:"]
                + request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" })
        // Over TLS the version that both sides speak; in clear text HTTP/1.1, as requests would else wait for a
        // connection's first answer.
        try set(CURLOPT_HTTP_VERSION, request.isPlain ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        try set(CURLOPT_PIPEWAIT, 1)
    }

    /// The options that no kind of transfer has to itself.
    ///
    /// - Parameter address: the only one to connect to; `nil` for what the system's resolver finds.
    mutating func setConnection(to address: IPAddress?, limits: HTTPLimits) throws(CurlError) {
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a resolver without an answer would hold the thread when the request is given up.
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "*")
        if let address {
            // For any host and port, so that no spelling of a name leads elsewhere.
            try set(CURLOPT_CONNECT_TO, [address.isIPv4 ? "::\(address):" : "::[\(address)]:"])
        }
        try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, limits.connect.wholeMilliseconds))
        try set(CURLOPT_MAXAGE_CONN, Int(limits.idle.components.seconds))
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        // The store comes from `TrustStore`; libcurl's own would take a megabyte for each connection.
        try set(CURLOPT_CAINFO, nil)
        try set(CURLOPT_CAPATH, nil)
        try set(CURLOPT_CA_CACHE_TIMEOUT, 0)
    }

    /// An end that is not known to precede the sending counts as a lost answer.
    func failure(_ code: CURLcode, isIssued: Bool) -> SendFailure {
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

    func connectionFailure(_ code: CURLcode) -> String {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            size(CURLINFO_CONNECT_TIME_T) > 0 ? "no TLS handshake in time" : "no connection in time"
        case CURLE_COULDNT_RESOLVE_HOST: "no such host"
        case CURLE_SSL_CONNECT_ERROR: "the TLS handshake failed"
        case CURLE_PEER_FAILED_VERIFICATION:
            // OpenSSL's objection to a certificate has a code; libcurl itself finds a wrong host name.
            number(CURLINFO_SSL_VERIFYRESULT) == Int(X509_V_ERR_UNSPECIFIED)
                ? "the certificate is not the host's" : "the TLS handshake failed"
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: "not a URL"
        default: "no connection"
        }
    }
}
