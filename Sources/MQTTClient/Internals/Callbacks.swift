import CMosquitto
import Platform

/// The callbacks of libmosquitto: each copies its arguments into the handle's ``ConnectionRecord`` and returns.
enum Callbacks {
    static func install(on handle: OpaquePointer) {
        unsafe mosquitto_connect_v5_callback_set(handle) { _, context, code, flags, properties in
            unsafe Callbacks.record(context)?.connected(
                code: code, flags: flags, properties: LentProperties(properties))
        }
        unsafe mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            unsafe Callbacks.record(context)?.disconnected(code: code)
        }
        unsafe mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message = unsafe message else { return }
            unsafe Callbacks.record(context)?.received(message.pointee, properties: LentProperties(properties))
        }
        unsafe mosquitto_publish_v5_callback_set(handle) { _, context, packet, code, _ in
            unsafe Callbacks.record(context)?.acknowledged(packet: packet, code: code)
        }
        unsafe mosquitto_subscribe_v5_callback_set(handle) { _, context, packet, count, codes, _ in
            // One code, as each of our packets has one filter.
            guard count > 0, let codes = unsafe codes else { return }
            unsafe Callbacks.record(context)?.subscribed(packet: packet, code: codes.pointee)
        }
        unsafe mosquitto_unsubscribe_v5_callback_set(handle) { _, context, _, _ in
            unsafe Callbacks.record(context)?.unsubscribed()
        }
    }

    private static func record(_ context: UnsafeMutableRawPointer?) -> ConnectionRecord? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<ConnectionRecord>.fromOpaque(context).takeUnretainedValue()
    }
}

extension ConnectionRecord {
    fileprivate func connected(code: Int32, flags: Int32, properties: consuming LentProperties) {
        events &+= 1
        let code = UInt8(truncatingIfNeeded: code)
        verdict = ConnectVerdict(
            reason: code < 0x80 ? ReasonCode(connectReturnCode: code) : ReasonCode(rawValue: code),
            session: Session(
                isPresent: flags & 1 != 0,
                receiveMaximum: properties.int16(MQTT_PROP_RECEIVE_MAXIMUM),
                maximumPacketSize: properties.int32(MQTT_PROP_MAXIMUM_PACKET_SIZE),
                serverKeepAliveSeconds: properties.int16(MQTT_PROP_SERVER_KEEP_ALIVE),
                sessionExpiry: properties.int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL)))
    }

    fileprivate func disconnected(code: Int32) {
        events &+= 1
        if disconnectCode == nil { disconnectCode = code }
    }

    fileprivate func received(_ message: mosquitto_message, properties: consuming LentProperties) {
        events &+= 1
        guard let topic = unsafe message.topic else { return }
        let length = unsafe max(0, Int(message.payloadlen))
        let payload = unsafe UnsafeRawBufferPointer(
            start: message.payload, count: length <= longestPayload ? length : min(length, beginningOfLonger))
        unsafe inbound.append(
            InboundMessage(
                topic: inbound.append(UnsafeRawBufferPointer(start: topic, count: strlen(topic))),
                payload: inbound.append(payload),
                payloadLength: length,
                responseTopic: properties.string(MQTT_PROP_RESPONSE_TOPIC, into: &inbound),
                correlationData: properties.binary(MQTT_PROP_CORRELATION_DATA, into: &inbound),
                qos: message.qos == 0 ? .atMostOnce : .atLeastOnce,
                isRetained: message.retain))
    }

    fileprivate func acknowledged(packet: Int32, code: Int32) {
        guard isReading else {
            writtenCount += 1
            return
        }
        events &+= 1
        acknowledgements.append(
            Acknowledgement(
                packet: PacketIdentifier(rawValue: UInt16(truncatingIfNeeded: packet)),
                reason: ReasonCode(rawValue: UInt8(truncatingIfNeeded: code))))
    }

    fileprivate func subscribed(packet: Int32, code: Int32) {
        events &+= 1
        let packet = PacketIdentifier(rawValue: UInt16(truncatingIfNeeded: packet))
        guard pendingSubscriptions.remove(packet) != nil else { return }
        subscriptionResults.append(
            SubscriptionResult(packet: packet, reason: ReasonCode(rawValue: UInt8(truncatingIfNeeded: code))))
    }

    fileprivate func unsubscribed() {
        events &+= 1
    }
}
