import CMosquittoBroker
import Glibc
import ParleyRules

/// The broker's functions that the plugin calls.
enum Broker {
    enum LogLevel {
        case debug, notice, warning, error

        fileprivate var code: CInt {
            switch self {
            case .debug: MOSQ_LOG_DEBUG
            case .notice: MOSQ_LOG_NOTICE
            case .warning: MOSQ_LOG_WARNING
            case .error: MOSQ_LOG_ERR
            }
        }

        /// What the broker's own messages of this level begin with. Its log on standard error shows no other level.
        fileprivate var word: String {
            switch self {
            case .debug, .notice: ""
            case .warning: "Warning: "
            case .error: "Error: "
            }
        }
    }

    /// `mosquitto_log_printf`
    static func log(_ level: LogLevel, _ message: String) {
        unsafe parley_broker_log(level.code, level.word + message)
    }

    /// What a client wrote, for a log: at most so many bytes, visible ASCII as it is, a question mark for all else.
    static func printable(_ bytes: Span<UInt8>, maximum: Int) -> String {
        var text = ""
        for index in 0..<min(bytes.count, maximum) {
            let byte = bytes[index]
            text.unicodeScalars.append(0x21...0x7E ~= byte ? Unicode.Scalar(byte) : "?")
        }
        return bytes.count > maximum ? text + "…" : text
    }

    /// `mosquitto_kick_client_by_clientid`, without its will. It calls back into the plugin before it returns.
    static func disconnect(_ clientID: String) {
        _ = unsafe mosquitto_kick_client_by_clientid(clientID, false)
    }

    /// `mosquitto_broker_publish` at QoS 1, to one client whether it has subscribed or not.
    ///
    /// Not `…_copy`: the memory that it takes is not counted by this broker, and given back as if it were, so that
    /// `memory_limit` and `memoryUsed` would count ever less.
    static func publish(_ payload: [UInt8], to topic: String, client clientID: String) {
        guard !payload.isEmpty, let copy = unsafe mosquitto_malloc(payload.count) else { return }
        unsafe copy.copyMemory(from: payload, byteCount: payload.count)
        let code = unsafe mosquitto_broker_publish(
            clientID, topic, CInt(truncatingIfNeeded: payload.count), copy, 1, false, nil)
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        // What was not taken is still ours.
        unsafe mosquitto_free(copy)
        log(.error, "parley: a message to \(clientID) was lost: code \(code)")
    }

    /// `mosquitto__memory_used`: bytes that the broker has allocated; 0 if it does not count them.
    static var memoryUsed: Int { parley_broker_memory_used() }

    /// Returns free memory to the system (`malloc_trim`).
    static func trimMemory() { parley_trim_memory() }

    /// Has what is freed from now on joined with its neighbours at once (`mallopt`, `M_MXFAST`).
    static func joinFreedMemory() { parley_join_freed_memory() }

    /// Seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }

    /// Nanoseconds of a clock that nobody sets (`clock_gettime`, `CLOCK_BOOTTIME`).
    static var uptime: Int64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The broker's record of a connection, good for as long as a callback runs.
@safe struct BrokerClient {
    private let pointer: OpaquePointer

    init?(_ pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    /// Identifies this record among all that there are at the same time.
    var key: UInt { unsafe UInt(bitPattern: pointer) }

    /// `mosquitto_client_id`; empty if it has none.
    var id: [UInt8] { unsafe bytes(of: mosquitto_client_id(pointer)) }

    /// Lends `mosquitto_client_id`; no bytes if it has none.
    func withID<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe withBytes(of: mosquitto_client_id(pointer), body)
    }

    /// `mosquitto_client_address` and `mosquitto_client_protocol`
    var origin: ClientOrigin {
        let isWebSocket = unsafe mosquitto_client_protocol(pointer) != CInt(bitPattern: mp_mqtt.rawValue)
        return unsafe withBytes(of: mosquitto_client_address(pointer)) { address in
            ClientOrigin(address: address, isWebSocket: isWebSocket)
        }
    }

    /// `mosquitto_client_address` as text for a log: a WebSocket client may have written it itself.
    var address: String {
        unsafe withBytes(of: mosquitto_client_address(pointer)) { address in
            address.isEmpty ? "nowhere" : Broker.printable(address, maximum: 64)
        }
    }

    /// `mosquitto_client_address`, whether it is this one.
    func hasAddress(_ address: [UInt8]) -> Bool { unsafe bytes(of: mosquitto_client_address(pointer)) == address }

    /// The number of its socket, as far as the broker's record can be read; `ClientSocket` checks it.
    var socketNumber: CInt { unsafe parley_client_socket(pointer) }

    /// `mosquitto_client_protocol_version`: 3 for MQTT 3.1, 4 for 3.1.1, 5.
    var protocolVersion: Int { unsafe Int(mosquitto_client_protocol_version(pointer)) }

    /// `mosquitto_client_sub_count`: places for filters, those included that the session has given up.
    var filterCount: Int { unsafe Int(mosquitto_client_sub_count(pointer)) }

    /// `mosquitto_client_clean_session`
    var cleanStart: Bool { unsafe mosquitto_client_clean_session(pointer) }
}

/// Lends the bytes of a C string without the zero; none for a null pointer.
func withBytes<Result>(of text: UnsafePointer<CChar>?, _ body: (Span<UInt8>) -> Result) -> Result {
    guard let text = unsafe text else { return body([UInt8]().span) }
    let start = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    return body(unsafe Span(_unsafeStart: start, count: strlen(text)))
}

/// Lends `count` bytes of a message; none for a null pointer.
func withBytes<Result>(at payload: UnsafeRawPointer?, count: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
    guard let payload = unsafe payload else { return body([UInt8]().span) }
    let start = unsafe payload.assumingMemoryBound(to: UInt8.self)
    return body(unsafe Span(_unsafeStart: start, count: Int(count)))
}

/// A copy of the bytes of a C string without the zero; none for a null pointer.
func bytes(of text: UnsafePointer<CChar>?) -> [UInt8] {
    unsafe withBytes(of: text) { span in
        unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
