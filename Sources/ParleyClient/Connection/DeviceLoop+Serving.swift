import MQTTClient
import Platform
import ParleyProtocol

extension DeviceLoop {
    private static let batchLimit = 256
    private static let housekeepingPause: Duration = .seconds(1)

    /// Serves one connection until it is lost, or until the loop is asked to end.
    mutating func serve(_ connection: MQTTConnection) throws(ConnectionTrouble) {
        do throws(MQTTError) {
            var housekeeping = ContinuousClock.now.advanced(by: DeviceLoop.housekeepingPause)
            var batch = InboundBatch()
            while !mailbox.isStopped {
                takeCommands(connection)
                expire()
                try subscribeDue(connection)
                try sendDue(connection)
                if ContinuousClock.now >= housekeeping {
                    try connection.housekeeping()
                    housekeeping = .now.advanced(by: DeviceLoop.housekeepingPause)
                }
                try connection.flush()
                try wait(for: connection, until: housekeeping)
                try read(connection, into: &batch)
            }
            connection.disconnect()
        } catch {
            throw ConnectionTrouble(error)
        }
    }

    private func wait(for connection: MQTTConnection, until housekeeping: ContinuousClock.Instant) throws(MQTTError) {
        var next = housekeeping
        if let deadline = requests.nextDeadline { next = min(next, deadline) }
        // Without room to publish only an acknowledgement can help, which makes the socket readable.
        if let send = requests.nextSend, connection.canPublish { next = min(next, send) }
        var watched = [
            WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite),
            WatchedDescriptor(mailbox.descriptor),
        ]
        do throws(SystemError) {
            try waitForEvents(&watched, timeout: max(.zero, next - .now))
        } catch {
            throw .connectionLost(errno: error.errno)
        }
    }

    private mutating func read(_ connection: MQTTConnection, into batch: inout InboundBatch) throws(MQTTError) {
        var end = BatchEnd.unfinished
        while end == .unfinished, !mailbox.isStopped {
            end = try connection.readBatch(into: &batch, limit: DeviceLoop.batchLimit)
            for message in batch.messages { take(message, of: batch) }
            takeAnswers(connection)
        }
    }

    private mutating func take(_ message: InboundMessage, of batch: InboundBatch) {
        let topic = String(decoding: batch.bytes[message.topic], as: UTF8.self)
        let payload = Array(batch.bytes[message.payload])
        guard topic == replyTopic else {
            let message = DeviceMessage(topicName: topic, payload: payload, isRetained: message.isRetained)
            outlet.emit(.message(message))
            takeEcho(message)
            return
        }
        // The reply to a repeat comes when its request has already been answered.
        guard let correlation = message.correlationData,
            let key = RequestKey(correlationData: batch.bytes[correlation]), requests.remove(key)
        else { return }
        finish(key, GatewayReply(payload: payload).map { .success($0) } ?? .failure(.malformedReply))
    }

    /// Ends the requests that wait for this event. Nothing is parsed while there are none.
    private mutating func takeEcho(_ message: DeviceMessage) {
        guard requests.awaitsEcho, let (echo, sent) = Echo.read(message, of: configuration.device) else { return }
        for key in requests.awaiting(echo) where requests.remove(key) { finish(key, .success(GatewayReply(sent))) }
    }

    private mutating func takeAnswers(_ connection: MQTTConnection) {
        var acknowledgements: [Acknowledgement] = []
        connection.takeAcknowledgements(into: &acknowledgements)
        for acknowledgement in acknowledgements {
            switch requests.acknowledged(acknowledgement.packet, reason: acknowledgement.reason) {
            case .done(let key): finish(key, .success(nil))
            case .refused(let key, let rejection): finish(key, .success(GatewayReply(rejection)))
            case nil: break
            }
        }
        var results: [SubscriptionResult] = []
        connection.takeSubscriptionResults(into: &results)
        for result in results {
            // Where the replies come is nobody's concern but ours.
            guard let event = subscriptions.answered(result), event.filter != replyTopic else { continue }
            outlet.emit(event)
        }
    }

    private mutating func subscribeDue(_ connection: MQTTConnection) throws(MQTTError) {
        for filter in subscriptions.due {
            do throws(MQTTError) {
                subscriptions.sent(filter, as: try connection.subscribe(to: filter))
            } catch .invalidTopic {
                subscriptions.refused(filter)
                outlet.emit(.subscriptionRefused(filter: filter))
            } catch .packetTooLarge {
                subscriptions.refused(filter)
                outlet.emit(.subscriptionRefused(filter: filter))
            }
        }
    }

    private mutating func sendDue(_ connection: MQTTConnection) throws(MQTTError) {
        while connection.canPublish, let request = requests.due(now: .now) {
            do throws(MQTTError) {
                requests.sent(request.key, as: try publish(request, on: connection), now: .now)
            } catch .packetTooLarge {
                _ = requests.remove(request.key)
                finish(request.key, .success(GatewayReply(.tooLargeForBroker)))
            } catch .sendBufferFull {
                return
            }
        }
    }

    private func publish(
        _ request: PendingRequest, on connection: MQTTConnection
    ) throws(MQTTError) -> PacketIdentifier {
        var arena: [UInt8] = []
        Topic.up(configuration.device, request.operation).append(to: &arena)
        let topic = 0..<arena.count
        arena += request.payload
        let payload = topic.upperBound..<arena.count
        guard request.wantsReply else {
            return try connection.publish(OutboundMessage(topic: topic, payload: payload), in: arena)
        }
        arena += replyTopic.utf8
        let response = payload.upperBound..<arena.count
        arena += request.key.bytes
        let correlation = response.upperBound..<arena.count
        return try connection.publish(
            OutboundMessage(
                topic: topic, payload: payload, responseTopic: response, correlationData: correlation), in: arena)
    }
}

extension DeviceEvent {
    fileprivate var filter: String? {
        switch self {
        case .subscribed(let filter), .subscriptionRefused(let filter): filter
        case .connected, .waiting, .message, .missed, .ended: nil
        }
    }
}
