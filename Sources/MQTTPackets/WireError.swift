/// The bytes are not MQTT.
package enum WireError: Error {
    case malformed
}
