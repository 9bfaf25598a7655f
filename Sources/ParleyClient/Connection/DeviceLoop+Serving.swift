import ParleyProtocol

extension DeviceLoop {
    /// Serves one connection until it is lost, or until the loop is asked to end.
    mutating func serve(_ connection: any TransportConnection) throws(ConnectionError) {
        do throws(TransportError) {
            while !mailbox.isStopped {
                handleCommands(connection)
                expire()
                try subscribeDue(connection)
                try sendDue(connection)
                for event in try connection.exchange(until: nextTurn(connection)) { handle(event) }
            }
            connection.close()
        } catch {
            throw error.cause
        }
    }

    /// When the loop has to act without input.
    private func nextTurn(_ connection: any TransportConnection) -> ContinuousClock.Instant? {
        // Without room to publish, only an acknowledgement helps, which wakes the loop.
        let send = connection.canPublish ? requests.nextSend : nil
        return [requests.nextDeadline, send].compactMap(\.self).min()
    }

    private mutating func handle(_ event: TransportEvent) {
        switch event {
        case .message(let message): handle(message)
        case .published(let packet, let verdict):
            switch requests.handleAcknowledgement(packet, verdict) {
            case .done(let key): finish(key, .success(nil))
            case .refused(let key, let rejection): finish(key, .success(GatewayReply(rejection)))
            case nil: break
            }
        case .subscribed(let packet, let isGranted):
            // The reply topic is internal.
            guard let event = subscriptions.handleAnswer(packet, isGranted: isGranted), event.filter != replyTopic
            else {
                return
            }
            outlet.emit(event)
        }
    }

    private mutating func handle(_ message: IncomingMessage) {
        guard message.topic == replyTopic else {
            guard subscriptions.covers(message.topic) else { return }
            let message = DeviceMessage(
                topicName: message.topic, payload: message.payload, isRetained: message.isRetained)
            outlet.emit(.message(message))
            handleEcho(message)
            return
        }
        // The request may have been answered already, if it was repeated.
        guard let correlation = message.correlationData, let key = RequestKey(correlationData: correlation),
            requests.remove(key)
        else { return }
        finish(key, GatewayReply(payload: message.payload).map { .success($0) } ?? .failure(.malformedReply))
    }

    /// Ends the requests whose echo this event is. Nothing is parsed while there are none.
    private mutating func handleEcho(_ message: DeviceMessage) {
        guard requests.awaitsEcho, let (echo, sent) = Echo.read(message, of: configuration.device) else { return }
        for key in requests.awaiting(echo) where requests.remove(key) { finish(key, .success(GatewayReply(sent))) }
    }

    private mutating func subscribeDue(_ connection: any TransportConnection) throws(TransportError) {
        for filter in subscriptions.due {
            do throws(TransportError) {
                subscriptions.markSent(filter, as: try connection.subscribe(to: filter))
            } catch .invalidTopic {
                refuse(filter)
            } catch .tooLarge {
                refuse(filter)
            }
        }
    }

    private mutating func refuse(_ filter: String) {
        subscriptions.markRefused(filter)
        outlet.emit(.subscriptionRefused(filter: filter))
    }

    private mutating func sendDue(_ connection: any TransportConnection) throws(TransportError) {
        while connection.canPublish, let request = requests.due(now: .now) {
            do throws(TransportError) {
                requests.markSent(request.key, as: try connection.publish(packet(for: request)), now: .now)
            } catch .tooLarge {
                _ = requests.remove(request.key)
                finish(request.key, .success(GatewayReply(.tooLargeForBroker)))
            } catch .noRoom {
                return
            }
        }
    }

    private func packet(for request: PendingRequest) -> OutgoingMessage {
        OutgoingMessage(
            topic: Topic.up(configuration.device, request.operation).name, payload: request.payload,
            reply: request.wantsReply ? .init(topic: replyTopic, correlationData: request.key.bytes) : nil)
    }
}

extension TransportError {
    /// The error of a connection that cannot go on.
    fileprivate var cause: ConnectionError {
        switch self {
        case .lost(let cause): cause
        case .invalidTopic, .tooLarge, .noRoom: .other(self)
        }
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
