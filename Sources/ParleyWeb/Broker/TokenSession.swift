import MQTTPackets
import NIOCore
import ParleyProtocol

/// One access token at the door: its MQTT connection, its requests without a reply, and the WebSockets that listen.
///
/// It is used on its event loop alone. The connection is made for the first request or listener, and made again while
/// requests or listeners wait; the broker judges it as any device's.
final class TokenSession {
    private enum Link {
        case none
        /// A TCP connection is being made, or waits for its CONNACK.
        case opening
        case ready(BrokerConnection)
        case pausing(until: NIODeadline)
        case ended(SessionEnd)
    }

    let token: SessionToken
    /// The session itself, for tasks.
    private let handle: SessionHandle
    private let loop: any EventLoop
    private let configuration: BrokerConfiguration
    private var link = Link.none
    private var pause: TimeAmount
    private var requests = PendingRequests()
    private var lastUse: NIODeadline
    /// Callers that wait until the connection is signed in.
    private var waiters: [(promise: EventLoopPromise<Void>, deadline: NIODeadline)] = []
    private var audience = Audience()
    /// Listeners of a broken connection, kept until the next CONNACK gives the cause: the broker sends no DISCONNECT
    /// when a token expires or is revoked.
    private var cutOff = Audience()

    init(_ token: SessionToken, _ handle: SessionHandle, on loop: any EventLoop, _ configuration: BrokerConfiguration) {
        (self.token, self.handle, self.loop, self.configuration) = (token, handle, loop, configuration)
        pause = configuration.firstPause
        lastUse = .now()
    }

    var isOver: Bool {
        if case .ended = link { true } else { false }
    }

    /// Whether the next use makes another session. The refusal of a token is remembered for a while, so that a client
    /// that presents it again and again costs the broker nothing.
    func isForgotten(_ now: NIODeadline) -> Bool {
        switch link {
        case .none, .opening, .ready, .pausing: false
        case .ended(.unauthenticated): lastUse + configuration.refusalTime <= now
        case .ended(.takenOver), .ended(.forbidden), .ended(.unavailable), .ended(.busy): true
        }
    }

    var hasRequests: Bool { !requests.isEmpty }

    var replyTopic: String { "\(Topic.prefix)down/\(token.address.user)/\(token.address.device)/\(configuration.name)" }
}

// MARK: What callers ask

extension TokenSession {
    /// Succeeds when the broker has accepted the token.
    func signIn(_ promise: EventLoopPromise<Void>) {
        switch link {
        case .ready:
            lastUse = .now()
            promise.succeed()
        case .ended(let end): promise.fail(end)
        case .none, .opening, .pausing:
            lastUse = .now()
            waiters.append((promise, .now() + configuration.patience))
            open()
        }
    }

    /// Sends a request, and repeats it until there is a reply.
    func request(_ operation: Operation, _ payload: [UInt8], _ promise: EventLoopPromise<[UInt8]>) {
        if case .ended(let end) = link { return promise.fail(end) }
        lastUse = .now()
        guard requests.count < configuration.requestsAtOnce else { return promise.fail(SessionEnd.busy) }
        let number = requests.add(
            topic: topic(of: operation), payload: payload, promise, now: .now(), configuration)
        if case .ready(let broker) = link { send(number, by: broker) } else { open() }
    }

    /// Publishes a request without a reply; succeeds when it is on its way to the broker.
    func publish(_ operation: Operation, _ payload: [UInt8], _ promise: EventLoopPromise<Void>?) {
        let signedIn = loop.makePromise(of: Void.self)
        signedIn.futureResult.assumeIsolated().whenComplete { [self] result in
            if case .ready(let broker) = link {
                broker.publish(topic(of: operation), payload, answer: nil)
                promise?.succeed()
            } else if case .failure(let error) = result {
                promise?.fail(error)
            } else {
                promise?.fail(SessionEnd.unavailable)
            }
        }
        signIn(signedIn)
    }

    private func topic(of operation: Operation) -> [UInt8] {
        var topic: [UInt8] = []
        Topic.up(token.address, operation).append(to: &topic)
        return topic
    }

    private func send(_ number: UInt32, by broker: BrokerConnection) {
        guard let entry = requests[number] else { return }
        broker.publish(entry.topic, entry.payload, answer: number)
    }
}

// MARK: The connection

extension TokenSession {
    private func open() {
        guard case .none = link else { return }
        link = .opening
        BrokerConnection.connect(for: self, on: loop, configuration)
    }

    /// The broker has accepted the token.
    func didSignIn(_ broker: BrokerConnection) {
        guard case .opening = link else { return broker.close() }
        link = .ready(broker)
        pause = configuration.firstPause
        endCutOff(.unavailable)
        broker.subscribe([BrokerFilter(replyTopic, .atMostOnce)], nil)
        for number in requests.numbers { send(number, by: broker) }
        for waiter in waiters { waiter.promise.succeed() }
        waiters.removeAll()
    }

    /// The connection could not be made, or has ended.
    func didLose(_ broker: BrokerConnection?, _ loss: BrokerLoss) {
        if case .ready(let current) = link, current !== broker { return }
        if isOver { return }
        let wasReady = if case .ready = link { true } else { false }
        switch loss {
        case .refused: return end(.unauthenticated)
        case .takenOver: return end(.takenOver)
        case .broken: break
        }
        endCutOff(.unavailable)
        // Events sent meanwhile are lost: listeners have to resume from their positions.
        if wasReady { (cutOff, audience) = (audience, Audience()) }
        link = .pausing(until: .now() + (wasReady ? .zero : pause))
        if !wasReady { pause = min(pause * 2, configuration.longestPause) }
        if isWanted { tick(.now()) }
    }

    /// Whether requests, callers or listeners wait for the connection.
    private var isWanted: Bool { !requests.isEmpty || !waiters.isEmpty || !audience.isEmpty || !cutOff.isEmpty }

    /// Runs the timers: repeats, timeouts, the next attempt to connect.
    func tick(_ now: NIODeadline) {
        for entry in requests.removeExpired(at: now) { entry.promise.fail(SessionEnd.unavailable) }
        expireWaiters(now)
        switch link {
        case .ended: break
        case .none, .opening:
            if !isWanted, lastUse + configuration.idleTime <= now { end(.unavailable) }
        case .ready(let broker):
            for number in requests.due(at: now) { send(number, by: broker) }
            if isWanted { lastUse = now }
            if lastUse + configuration.idleTime <= now { return end(.unavailable) }
            broker.keepAlive(now)
        case .pausing(let until):
            guard isWanted else { return end(.unavailable) }
            if until <= now {
                link = .none
                open()
            }
        }
    }

    /// Ends the session for all callers and listeners.
    func end(_ cause: SessionEnd) {
        guard !isOver else { return }
        lastUse = .now()
        if case .ready(let broker) = link { broker.close() }
        link = .ended(cause)
        for entry in requests.removeAll() { entry.promise.fail(cause) }
        let ended = waiters
        waiters.removeAll()
        for waiter in ended { waiter.promise.fail(cause) }
        endCutOff(cause)
        endAudience(cause)
    }

    private func endCutOff(_ cause: SessionEnd) {
        let ended = cutOff
        cutOff = Audience()
        ended.end(cause)
    }

    /// The next listener starts from fresh subscriptions.
    private func endAudience(_ cause: SessionEnd) {
        let ended = audience
        audience = Audience()
        ended.end(cause)
    }

    private func expireWaiters(_ now: NIODeadline) {
        guard waiters.contains(where: { $0.deadline <= now }) else { return }
        let expired = waiters.filter { $0.deadline <= now }
        waiters.removeAll { $0.deadline <= now }
        for waiter in expired { waiter.promise.fail(SessionEnd.unavailable) }
    }
}

// MARK: Events

extension TokenSession {
    /// Adds a listener for all events of the device; succeeds when all subscriptions are acknowledged.
    ///
    /// Events may arrive earlier; friends' presence follows.
    func listen(_ listener: any SessionListener, _ promise: EventLoopPromise<Void>) {
        if case .ended(let end) = link { return promise.fail(end) }
        lastUse = .now()
        audience.add(listener)
        if let gathered = audience.gathered {
            gathered.assumeIsolated().whenSuccess { [self] in audience.tellPresence(listener) }
            return gathered.cascade(to: promise)
        }
        let gathered = loop.makeFutureWithTask { [handle] in try await handle.subscribeToEverything() }
        audience.gathered = gathered
        gathered.assumeIsolated().whenFailure { [self] _ in audience.gathered = nil }
        gathered.cascade(to: promise)
    }

    func remove(_ listener: any SessionListener) {
        if !isOver { lastUse = .now() }
        audience.remove(listener)
        cutOff.remove(listener)
        // Without listeners, new conversations are not subscribed to; the next listener starts from fresh lists.
        if audience.isEmpty { (audience.gathered, audience.presence) = (nil, [:]) }
    }

    /// Succeeds with the broker's answer. A refused filter is left out: the broker's plugin knows why.
    func subscribe(_ filters: [BrokerFilter], _ promise: EventLoopPromise<Void>?) {
        guard case .ready(let broker) = link else {
            promise?.fail(SessionEnd.unavailable)
            return
        }
        broker.subscribe(filters, promise)
    }

    /// The broker's plugin has refused a request: the device may not send it, or not as often.
    func wasRefused(_ number: UInt32, _ cause: SessionEnd) { requests.remove(number)?.promise.fail(cause) }

    /// The current read is complete.
    func didReadAll() { audience.flush() }

    func didReceive(_ delivery: BrokerDelivery) {
        if let answer = delivery.answer {
            // A late reply of a repeated request has no entry.
            requests.remove(answer)?.promise.succeed(delivery.payload)
            return
        }
        guard !audience.isEmpty, let topic = Topic(parsing: delivery.topic.span) else { return }
        switch topic {
        case .user(token.address.user, .events): return follow(delivery.payload, on: topic)
        case .conversation(_, .typing): return name(delivery.payload, on: topic)
        case .user(let user, .presence): audience.presence[user] = delivery.payload.isEmpty ? nil : delivery.payload
        case .user, .conversation, .group, .up, .down, .gatewayStatus, .gatewayStats: break
        }
        audience.receive(delivery.payload)
    }

    /// Subscribes to the topics of the user's new conversations, groups and friends, and unsubscribes from those that
    /// ended. Listeners hear of what is new once it is subscribed to.
    private func follow(_ payload: [UInt8], on topic: Topic) {
        guard case .ready(let broker) = link else { return }
        let filters = (try? ReceivedEvent(topic: topic, payload: payload)).map { follow($0, by: broker) } ?? []
        let number = audience.ownEvents.add(payload, waits: !filters.isEmpty)
        guard !filters.isEmpty else { return tellOwnEvents() }
        let subscribed = loop.makePromise(of: Void.self)
        // It fails when the connection is lost, and the listeners with it.
        subscribed.futureResult.assumeIsolated().whenSuccess { [self] in
            audience.ownEvents.release(number)
            tellOwnEvents()
        }
        broker.subscribe(filters, subscribed)
    }

    private func tellOwnEvents() {
        for event in audience.ownEvents.takeReady() { audience.receive(event) }
    }

    /// - Returns: what is to be subscribed to.
    private func follow(_ event: ReceivedEvent, by broker: BrokerConnection) -> [BrokerFilter] {
        switch event {
        case .conversation(let conversation): return [.conversation(conversation.id)]
        case .groupJoined(let joined): return BrokerFilter.group(joined.group.id)
        case .friendAdded(let notice): return BrokerFilter.friend(notice.user)
        case .conversationRemoved(let id): broker.unsubscribe([.conversation(id)])
        case .groupDeleted(let deleted): broker.unsubscribe(BrokerFilter.group(deleted.group))
        case .friendRemoved(let notice):
            audience.presence[notice.user] = nil
            broker.unsubscribe(BrokerFilter.friend(notice.user))
        case .record, .receipt, .typing, .presence, .conversationRead, .conversationSettings, .messageRequest,
            .deviceRevoked, .deviceAdded, .linkApproved, .keysChanged, .groupUpdated, .push, .leaderboard, .other,
            .ignored:
            break
        }
        return []
    }

    /// Adds the typing user's display name, as the apps expect it. The name is requested once in a while.
    private func name(_ payload: [UInt8], on topic: Topic) {
        guard
            case .typing(let indicator)? = try? ReceivedEvent(
                topic: topic, payload: payload)
        else { return }
        let user = indicator.sender.user
        switch audience.names.take(indicator, now: .now()) {
        case .named(let name): audience.receive(indicator.event(name))
        case .waits: break
        case .isToBeAsked:
            let promise = loop.makePromise(of: [UInt8].self)
            promise.futureResult.assumeIsolated().whenComplete { [self] result in
                let name = TypingNames.name(in: try? result.get()) ?? user.text
                for indicator in audience.names.put(name, of: user, now: .now()) {
                    audience.receive(indicator.event(name))
                }
            }
            request(GetProfile.operation, GetProfile(user: user).payload(), promise)
        }
    }
}
