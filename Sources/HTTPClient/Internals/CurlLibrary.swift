import CCurl
import Platform

/// libcurl as a whole. It is set up once and never taken down.
enum CurlLibrary {
    private static let initializationCode: CURLcode = {
        // A peer that dies while we write must be an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_ALL))
    }()

    /// `curl_global_init`, on first use.
    static func initialize() throws(CurlError) { try check(initializationCode) }

    /// The funnel through which the code of every call about a transfer passes.
    static func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else { throw CurlError(code: code.rawValue) }
    }

    /// The funnel through which the code of every call about connections passes.
    static func check(_ code: CURLMcode) throws(CurlError) {
        guard code == CURLM_OK else { throw CurlError(code: UInt32(bitPattern: code.rawValue)) }
    }
}

/// libcurl has refused a call: it has no memory, or lacks what it was built with elsewhere.
struct CurlError: Error {
    let code: UInt32
}
