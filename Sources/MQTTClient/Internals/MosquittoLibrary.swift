import CMosquitto
import Platform

/// The library as a whole, set up once and never taken down: other threads may use connections when the process ends.
enum MosquittoLibrary {
    private static let initializationCode: Int32 = {
        // A write to a dead peer must be an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init()
    }()

    /// `mosquitto_lib_init`, on first use.
    static func initialize() throws(MQTTError) {
        try check(initializationCode)
    }

    /// Checks the return code of every call.
    ///
    /// - Parameter code: of a function of libmosquitto, with `errno` untouched since.
    static func check(_ code: Int32) throws(MQTTError) {
        guard code != 0 else { return }
        throw error(for: code, errno: errno)
    }

    /// Checks a call with a topic or a filter, where these two codes mean that it is invalid.
    static func checkTopic(_ code: Int32) throws(MQTTError) {
        guard code != Int32(MOSQ_ERR_INVAL.rawValue), code != Int32(MOSQ_ERR_MALFORMED_UTF8.rawValue) else {
            throw .invalidTopic
        }
        try check(code)
    }

    private static func error(for code: Int32, errno: Int32) -> MQTTError {
        switch code {
        case Int32(MOSQ_ERR_NOMEM.rawValue): .outOfMemory
        case Int32(MOSQ_ERR_PROTOCOL.rawValue), Int32(MOSQ_ERR_MALFORMED_PACKET.rawValue),
            Int32(MOSQ_ERR_DUPLICATE_PROPERTY.rawValue), Int32(MOSQ_ERR_MALFORMED_UTF8.rawValue):
            .protocolViolation
        case Int32(MOSQ_ERR_NO_CONN.rawValue): .notConnected
        case Int32(MOSQ_ERR_CONN_LOST.rawValue): .connectionLost(errno: 0)
        case Int32(MOSQ_ERR_ERRNO.rawValue): .connectionLost(errno: errno)
        case Int32(MOSQ_ERR_EAI.rawValue): .nameNotResolved(code: errno)
        case Int32(MOSQ_ERR_TLS.rawValue), Int32(MOSQ_ERR_TLS_HANDSHAKE.rawValue): .tls
        case Int32(MOSQ_ERR_KEEPALIVE.rawValue): .keepAliveExpired
        default: .library(code: code)
        }
    }
}
