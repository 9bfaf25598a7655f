import CMosquitto
import Platform

/// Owns a list of MQTT 5 properties under construction.
@safe struct PropertyList: ~Copyable {
    private(set) var pointer: OpaquePointer?

    deinit {
        var list = unsafe pointer
        // `mosquitto_property_free_all`
        unsafe mosquitto_property_free_all(&list)
    }

    init() {
        unsafe pointer = nil
    }

    /// `mosquitto_property_add_int16`
    mutating func add(_ property: mqtt5_property, _ value: UInt16) throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_property_add_int16(&pointer, Int32(property.rawValue), value))
    }

    /// `mosquitto_property_add_int32`
    mutating func add(_ property: mqtt5_property, _ value: UInt32) throws(MQTTError) {
        try unsafe MosquittoLibrary.check(mosquitto_property_add_int32(&pointer, Int32(property.rawValue), value))
    }

    /// `mosquitto_property_add_binary`. At most 65,535 bytes.
    mutating func add(_ property: mqtt5_property, binary bytes: UnsafeRawBufferPointer) throws(MQTTError) {
        guard let count = UInt16(exactly: bytes.count) else { throw .invalidRange }
        try unsafe MosquittoLibrary.check(
            mosquitto_property_add_binary(&pointer, Int32(property.rawValue), bytes.baseAddress, count))
    }

    /// `mosquitto_property_add_string`. `text` ends with NUL.
    mutating func add(_ property: mqtt5_property, string text: UnsafePointer<CChar>) throws(MQTTError) {
        try unsafe MosquittoLibrary.checkTopic(
            mosquitto_property_add_string(&pointer, Int32(property.rawValue), text))
    }
}

/// Properties that the library lends to a callback.
@safe struct LentProperties: ~Copyable {
    private let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) {
        unsafe self.pointer = unsafe pointer
    }

    /// `mosquitto_property_read_int16`
    func int16(_ property: mqtt5_property) -> UInt16? {
        guard unsafe pointer != nil else { return nil }
        var value: UInt16 = 0
        let found = unsafe mosquitto_property_read_int16(pointer, Int32(property.rawValue), &value, false)
        return unsafe found == nil ? nil : value
    }

    /// `mosquitto_property_read_int32`
    func int32(_ property: mqtt5_property) -> UInt32? {
        guard unsafe pointer != nil else { return nil }
        var value: UInt32 = 0
        let found = unsafe mosquitto_property_read_int32(pointer, Int32(property.rawValue), &value, false)
        return unsafe found == nil ? nil : value
    }

    /// `mosquitto_property_read_string`, copied into the arena of `batch`.
    func string(_ property: mqtt5_property, into batch: inout InboundBatch) -> Range<Int>? {
        guard unsafe pointer != nil else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe mosquitto_property_read_string(pointer, Int32(property.rawValue), &text, false) != nil,
            let text = unsafe text
        else { return nil }
        defer { unsafe free(text) }
        return unsafe batch.append(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// `mosquitto_property_read_binary`, copied into the arena of `batch`.
    func binary(_ property: mqtt5_property, into batch: inout InboundBatch) -> Range<Int>? {
        guard unsafe pointer != nil else { return nil }
        var bytes: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        guard unsafe mosquitto_property_read_binary(pointer, Int32(property.rawValue), &bytes, &count, false) != nil,
            let bytes = unsafe bytes
        else { return nil }
        defer { unsafe free(bytes) }
        return unsafe batch.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
}
