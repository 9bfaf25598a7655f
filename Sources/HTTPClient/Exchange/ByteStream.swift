import CCurl
import Platform

/// A connection to one host, over TLS or not, whose bytes are the caller's: a proxy, a certificate and a name are
/// libcurl's to handle (`CURLOPT_CONNECT_ONLY`).
///
/// One thread at a time uses it, and it never waits after it was made.
package struct ByteStream: ~Copyable {
    private let handle: EasyHandle
    /// To wait for.
    package let descriptor: Int32

    /// Connects, and speaks TLS where the URL begins with `https`. Blocks the thread for `timeout` at most.
    ///
    /// - Parameters:
    ///   - url: `https://HOST:PORT` or `http://HOST:PORT`.
    ///   - caFile: certificates to trust (PEM); `nil` for the system's.
    package static func open(
        _ url: String, trusting caFile: String?, timeout: Duration
    ) throws(ByteStreamFailure) -> ByteStream {
        let handle = try ByteStream.handle(url, caFile, timeout)
        let code = handle.perform()
        guard code == CURLE_OK else { throw ByteStreamFailure(code, handle) }
        let descriptor = handle.activeSocket()
        guard descriptor >= 0 else { throw .lost }
        return ByteStream(handle: handle, descriptor: descriptor)
    }

    private init(handle: consuming EasyHandle, descriptor: Int32) {
        self.handle = handle
        self.descriptor = descriptor
    }

    private static func handle(
        _ url: String, _ caFile: String?, _ timeout: Duration
    ) throws(ByteStreamFailure) -> EasyHandle {
        do throws(CurlError) {
            try CurlLibrary.initialize()
            let handle = try EasyHandle()
            try handle.set(CURLOPT_URL, url)
            try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
            try handle.set(CURLOPT_CONNECT_ONLY, 1)
            try handle.set(CURLOPT_NOSIGNAL, 1)
            try handle.set(CURLOPT_PROXY, "")
            try handle.set(CURLOPT_NOPROXY, "*")
            try handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, timeout.wholeMilliseconds))
            try handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
            try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
            // What follows is no HTTP, or no request of libcurl's.
            try handle.set(CURLOPT_SSL_ENABLE_ALPN, 0)
            if let caFile {
                try handle.set(CURLOPT_CAINFO, caFile)
                try handle.set(CURLOPT_CAPATH, nil)
            }
            return handle
        } catch {
            throw .system
        }
    }

    /// Sends as much as the network takes at once.
    ///
    /// - Returns: how many bytes; 0 where it takes none now.
    package func send(_ bytes: [UInt8]) throws(ByteStreamFailure) -> Int {
        var count = 0
        let code = unsafe bytes.withUnsafeBytes { unsafe handle.send($0, &count) }
        switch code {
        case CURLE_OK: return count
        case CURLE_AGAIN: return 0
        default: throw .lost
        }
    }

    /// What has come, at most `limit` bytes; empty where nothing has.
    ///
    /// - Throws: ``ByteStreamFailure/lost`` also at the end.
    package func receive(limit: Int) throws(ByteStreamFailure) -> [UInt8] {
        var code = CURLE_AGAIN
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            code = unsafe handle.receive(UnsafeMutableRawBufferPointer(buffer), &count)
            if code != CURLE_OK { count = 0 }
        }
        switch code {
        case CURLE_OK where !bytes.isEmpty, CURLE_AGAIN: return bytes
        default: throw .lost
        }
    }
}

/// Why there is no connection.
package enum ByteStreamFailure: Error, Hashable, Sendable {
    case nameNotResolved
    /// `errno`; 0 if it is not known.
    case unreachable(errno: Int32)
    case timedOut
    case certificate(CertificateProblem)
    /// The other side speaks no TLS.
    case noTLS
    /// The file of certificates is not there, or has none.
    case unusableAuthority
    /// An established connection is over.
    case lost
    /// The system, or libcurl as it was built, cannot.
    case system
}

/// What is wrong with a server's certificate (RFC 5280 §6, RFC 6125).
package enum CertificateProblem: Hashable, Sendable {
    case expired
    case notYetValid
    /// Nobody who is trusted has signed it.
    case untrusted
    case otherName
    /// Another of OpenSSL's objections.
    case other(Int)
}

extension ByteStreamFailure {
    fileprivate init(_ code: CURLcode, _ handle: borrowing EasyHandle) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .nameNotResolved
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_COULDNT_CONNECT:
            self = .unreachable(errno: Int32(truncatingIfNeeded: handle.number(CURLINFO_OS_ERRNO)))
        case CURLE_PEER_FAILED_VERIFICATION:
            self = .certificate(CertificateProblem(verifyResult: handle.number(CURLINFO_SSL_VERIFYRESULT)))
        case CURLE_SSL_CACERT_BADFILE: self = .unusableAuthority
        case CURLE_SSL_CONNECT_ERROR: self = .noTLS
        default: self = .system
        }
    }
}

extension CertificateProblem {
    /// - Parameter verifyResult: OpenSSL's verdict of the chain. libcurl itself finds a wrong name, after it.
    fileprivate init(verifyResult: Int) {
        switch Int32(truncatingIfNeeded: verifyResult) {
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            self = .untrusted
        case X509_V_OK, X509_V_ERR_UNSPECIFIED: self = .otherName
        default: self = .other(verifyResult)
        }
    }
}
