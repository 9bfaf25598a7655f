import CMosquitto
import Platform

/// Owns one `struct mosquitto`, from `mosquitto_new` to `mosquitto_destroy`. Each method is one function of the
/// library.
///
/// The library is set up so that another thread does its input and output (`mosquitto_threaded_set`), which is how it
/// is made to queue every packet, acknowledgements too, instead of writing it at once: nothing leaves before
/// ``loopWrite()``.
@safe final class MosquittoHandle {
    let record = ConnectionRecord()
    private let pointer: OpaquePointer

    /// `mosquitto_new`
    init(clientID: String, cleanStart: Bool) throws(MQTTError) {
        try MosquittoLibrary.initialize()
        let context = unsafe Unmanaged.passUnretained(record).toOpaque()
        let id = clientID.isEmpty ? nil : clientID
        guard let pointer = unsafe mosquitto_new(id, cleanStart, context) else {
            throw errno == ENOMEM ? .outOfMemory : .invalidConfiguration(.clientID)
        }
        unsafe self.pointer = unsafe pointer
        unsafe Callbacks.install(on: pointer)
        try unsafe MosquittoLibrary.check(mosquitto_threaded_set(pointer, true))
    }

    /// `mosquitto_destroy`: closes the socket. Queued packets, acknowledgements too, are never sent.
    deinit {
        unsafe mosquitto_destroy(pointer)
    }

    /// `mosquitto_socket`, -1 when there is none.
    var socket: Int32 { unsafe mosquitto_socket(pointer) }

    /// `mosquitto_want_write`
    var wantsWrite: Bool { unsafe mosquitto_want_write(pointer) }

    /// `mosquitto_int_option`
    func set(_ option: mosq_opt_t, to value: Int32) throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_int_option(pointer, option, value))
    }

    /// `mosquitto_username_pw_set`
    func setCredentials(username: String?, password: Secret?) throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_username_pw_set(pointer, username, password?.value))
    }

    /// `mosquitto_tls_set`
    func trust(caFile: String) throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_tls_set(pointer, caFile, nil, nil, nil, nil))
    }

    /// `mosquitto_will_set_v5`
    func setWill(_ will: Will) throws(MQTTError) {
        let payload = will.payload
        let code = unsafe payload.withUnsafeBytes { bytes in
            unsafe mosquitto_will_set_v5(
                pointer, will.topic, Int32(clamping: bytes.count), bytes.baseAddress, Int32(will.qos.rawValue),
                will.isRetained, nil)
        }
        try MosquittoLibrary.check(code)
    }

    /// `mosquitto_connect_bind_v5` without a host, which only stores the properties for
    /// ``startConnecting(host:port:keepAlive:)``: the non-blocking call takes none itself.
    func setConnectProperties(_ properties: borrowing PropertyList) throws(MQTTError) {
        let code = unsafe mosquitto_connect_bind_v5(pointer, nil, 0, 0, nil, properties.pointer)
        guard code == MOSQ_ERR_INVAL.rawValue else { return try MosquittoLibrary.check(code) }
    }

    /// `mosquitto_connect_bind_async`. Port 0 makes `host` the path of a Unix socket. Only looking up a name blocks.
    func startConnecting(host: String, port: UInt16, keepAlive: UInt16) throws(MQTTError) {
        try unsafe MosquittoLibrary.check(
            mosquitto_connect_bind_async(pointer, host, Int32(port), Int32(keepAlive), nil))
    }

    /// `mosquitto_disconnect_v5`
    func disconnect() throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_disconnect_v5(pointer, 0, nil))
    }

    /// `mosquitto_loop_read`: one packet, or as many as publishes are unacknowledged.
    func loopRead() throws(MQTTError) {
        record.isReading = true
        let code = unsafe mosquitto_loop_read(pointer, 1)
        let failure = errno
        record.isReading = false
        errno = failure
        try MosquittoLibrary.check(code)
    }

    /// `mosquitto_loop_write`: the queue, until the socket would block.
    func loopWrite() throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_loop_write(pointer, 1))
    }

    /// `mosquitto_loop_misc`: keep alive.
    func loopMisc() throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_loop_misc(pointer))
    }

    /// `mosquitto_publish_v5`. `topic` ends with NUL.
    func publish(
        topic: UnsafePointer<CChar>, payload: UnsafeRawBufferPointer, qos: QoS, isRetained: Bool,
        properties: borrowing PropertyList
    ) throws(MQTTError) -> PacketIdentifier {
        var packet: Int32 = 0
        let code = unsafe mosquitto_publish_v5(
            pointer, &packet, topic, Int32(clamping: payload.count), payload.baseAddress, Int32(qos.rawValue),
            isRetained, properties.pointer)
        try MosquittoLibrary.checkTopic(code)
        return PacketIdentifier(rawValue: UInt16(truncatingIfNeeded: packet))
    }

    /// `mosquitto_subscribe_v5`
    func subscribe(to filter: String, qos: QoS, options: Int32) throws(MQTTError) -> PacketIdentifier {
        var packet: Int32 = 0
        let code = unsafe mosquitto_subscribe_v5(pointer, &packet, filter, Int32(qos.rawValue), options, nil)
        try MosquittoLibrary.checkTopic(code)
        return PacketIdentifier(rawValue: UInt16(truncatingIfNeeded: packet))
    }

    /// `mosquitto_unsubscribe_v5`
    func unsubscribe(from filter: String) throws(MQTTError) -> PacketIdentifier {
        var packet: Int32 = 0
        let code = unsafe mosquitto_unsubscribe_v5(pointer, &packet, filter, nil)
        try MosquittoLibrary.checkTopic(code)
        return PacketIdentifier(rawValue: UInt16(truncatingIfNeeded: packet))
    }
}
