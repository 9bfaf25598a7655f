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

    /// Checks the code of every call about a transfer.
    static func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else { throw CurlError(code: code.rawValue) }
    }

    /// Checks the code of every call about connections.
    static func check(_ code: CURLMcode) throws(CurlError) {
        guard code == CURLM_OK else { throw CurlError(code: UInt32(bitPattern: code.rawValue)) }
    }
}

/// libcurl has refused a call: it lacks memory, or a feature of the build.
struct CurlError: Error {
    let code: UInt32
}
