import CMosquittoBroker
import Glibc

/// The properties of a message (MQTT 5, 2.2.2), good for as long as a callback runs.
@safe struct MessageProperties {
    private let first: OpaquePointer

    init?(_ first: OpaquePointer?) {
        guard let first = unsafe first else { return nil }
        unsafe self.first = first
    }

    /// How many there are, and how long their values; counting stops after so many.
    func size(ofFirst limit: Int) -> (count: Int, bytes: Int) {
        var (count, bytes) = (0, 0)
        var property: OpaquePointer? = unsafe first
        while let one = unsafe property {
            count += 1
            guard count <= limit else { break }
            bytes += unsafe MessageProperties.length(of: one)
            unsafe property = unsafe mosquitto_property_next(one)
        }
        return (count, bytes)
    }

    /// Of the values that have no fixed length: `mosquitto_property_read_string`, `…_string_pair`, `…_binary`, which
    /// give copies.
    private static func length(of property: OpaquePointer) -> Int {
        let identifier = unsafe mosquitto_property_identifier(property)
        var (name, value): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
        var (data, dataLength): (UnsafeMutableRawPointer?, UInt16) = (nil, 0)
        defer {
            unsafe free(name)
            unsafe free(value)
            unsafe free(data)
        }
        switch UInt32(bitPattern: identifier) {
        case MQTT_PROP_USER_PROPERTY.rawValue:
            _ = unsafe mosquitto_property_read_string_pair(property, identifier, &name, &value, false)
        case MQTT_PROP_CORRELATION_DATA.rawValue:
            _ = unsafe mosquitto_property_read_binary(property, identifier, &data, &dataLength, false)
        default:
            _ = unsafe mosquitto_property_read_string(property, identifier, &value, false)
        }
        return unsafe Int(dataLength) + (name.map { unsafe strlen($0) } ?? 0) + (value.map { unsafe strlen($0) } ?? 0)
    }
}
