import CMosquittoBroker
import ParleyProtocol
import ParleyRules
import Sodium

/// Carries the broker's questions to the gate and its answers back. The broker calls on one thread only.
final class Plugin {
    private let publicKey: Ed25519.PublicKey
    private var gate: AccessGate
    private let registration: Registration
    private var refusals = RefusalLog()
    /// Sign-ins that were closed without a verdict, which a flood of refused ones must not hide.
    private var unanswered = RefusalLog()
    private var deniedFilters = RefusalLog()
    private var takenOff = RefusalLog()
    /// By why connections were ended.
    private var endings: [String: RefusalLog] = [:]
    private var sockets = ClientSockets()
    private var isDisconnecting = false
    private var memory = FreedMemory()
    /// Names this run of the broker, which forgets what it had retained since it last wrote it down.
    private let run = UInt64.random(in: .min ... .max)

    private init(publicKey: Ed25519.PublicKey, gate: AccessGate, registration: Registration) {
        self.publicKey = publicKey
        self.gate = gate
        self.registration = registration
    }

    /// Reads the settings and registers for the broker's events.
    static func load(_ settings: Settings, identifier: OpaquePointer) -> Result<Plugin, LoadError> {
        Result { () throws(LoadError) in
            let registration = unsafe Registration(identifier: identifier)
            let gate = AccessGate(operatorListeners: try settings.operatorListeners())
            let plugin = Plugin(publicKey: try settings.publicKey(), gate: gate, registration: registration)
            try registration.register(plugin)
            return plugin
        }
    }

    func unregister() { registration.unregister() }
}

extension Plugin {
    /// `MOSQ_EVT_BASIC_AUTH`
    func signIn(_ event: mosquitto_evt_basic_auth) -> CInt {
        guard let client = unsafe BrokerClient(event.client) else { return MOSQ_ERR_UNKNOWN.rawValue }
        let attempt = unsafe SignInAttempt(
            clientID: client.id, username: bytes(of: event.username), password: bytes(of: event.password),
            origin: client.origin, cleanStart: client.cleanStart, protocolVersion: client.protocolVersion)
        let key = publicKey
        gate.advance(to: Broker.uptime)
        let decision = gate.signIn(attempt, on: ConnectionKey(client.key), now: Broker.now) { token in
            key.verifies(token.signature.span, of: token.signedBytes.span)
        }
        report()
        // Several a second, each like the last.
        if attempt.isCheck { return (decision == .notReady ? MOSQ_ERR_UNKNOWN : MOSQ_ERR_AUTH).rawValue }
        switch decision {
        case .admitted(.device):
            sockets.watch(client)
            return MOSQ_ERR_SUCCESS.rawValue
        case .admitted(.gateway), .removing:
            return MOSQ_ERR_SUCCESS.rawValue
        case .refused(let refusal):
            let others = refusals.add(uptime: Broker.uptime)
            log(attempt, of: client, "may not sign in: \(refusal.rawValue)", others)
            return MOSQ_ERR_AUTH.rawValue
        case .turnedAway(let reason):
            let others = unanswered.add(uptime: Broker.uptime)
            log(attempt, of: client, "is turned away: \(reason.rawValue)", others)
            return MOSQ_ERR_UNKNOWN.rawValue
        case .notReady:
            let others = unanswered.add(uptime: Broker.uptime)
            log(attempt, of: client, "must try again: the gateway has not sent who may sign in", others)
            return MOSQ_ERR_UNKNOWN.rawValue
        }
    }

    /// The end of a line that also stands for others, which were held back since the one before.
    private static func more(_ others: Int) -> String {
        others > 0 ? ", and \(others) others since the last such line" : ""
    }

    /// Logs that a sign-in fails, with how many others there were since the last such line; nothing for `nil`.
    private func log(_ attempt: SignInAttempt, of client: BrokerClient, _ sentence: String, _ others: Int?) {
        guard let others else { return }
        let name = Client(clientID: attempt.clientID.span)?.clientID ?? "a client"
        Broker.log(.warning, "parley: \(name) from \(client.address) \(sentence)\(Self.more(others))")
    }

    /// Logs a subscription that is denied: its sender learns that by a reason code alone, which many libraries drop.
    private func log(_ denial: AccessDenial, of filter: UnsafePointer<CChar>?, _ client: BrokerClient) {
        guard let others = deniedFilters.add(uptime: Broker.uptime) else { return }
        let name = Client(clientID: client.id.span)?.clientID ?? "a client"
        let filter = unsafe withBytes(of: filter) { Broker.printable($0, maximum: 128) }
        Broker.log(
            .warning, "parley: \(name) may not subscribe to \(filter): \(denial.rawValue)\(Self.more(others))")
    }

    /// `MOSQ_EVT_ACL_CHECK`
    func checkAccess(_ event: mosquitto_evt_acl_check) -> CInt {
        guard let client = unsafe BrokerClient(event.client) else { return MOSQ_ERR_ACL_DENIED.rawValue }
        let key = ConnectionKey(client.key)
        let now = Broker.now
        gate.advance(to: Broker.uptime)
        let (access, qos, retain, payloadLength) = unsafe (
            event.access, event.qos, event.retain, Int(event.payloadlen)
        )
        let decision: AccessDecision? = unsafe withBytes(of: event.topic) { topic in
            switch access {
            case MOSQ_ACL_READ:
                client.withID { id in
                    unsafe withBytes(at: event.payload, count: event.payloadlen) { payload in
                        gate.receive(key, clientID: id, topic: topic, payload: payload, qos: qos, now: now)
                    }
                }
            case MOSQ_ACL_WRITE:
                gate.publish(key, topic: topic, payloadLength: payloadLength, qos: qos, retain: retain, now: now)
            case MOSQ_ACL_SUBSCRIBE where isDisconnecting: .allowed
            case MOSQ_ACL_SUBSCRIBE: gate.subscribe(key, filter: topic, held: client.filterCount, now: now)
            case MOSQ_ACL_UNSUBSCRIBE: gate.unsubscribe(key, filter: topic, now: now)
            default: nil
            }
        }
        if decision?.isAllowed == true { return MOSQ_ERR_SUCCESS.rawValue }
        // Without audiences nothing is judged: the connection ends without a PUBACK, as all others do with the next
        // tick, and the device asks again.
        if access == MOSQ_ACL_WRITE, decision == .denied(.notReady) { return MOSQ_ERR_UNKNOWN.rawValue }
        if access == MOSQ_ACL_SUBSCRIBE, case .denied(let denial)? = decision {
            unsafe log(denial, of: event.topic, client)
        }
        // Any other error than this one makes the broker leave a packet of filters at once and end the connection.
        let isSubscribe = access == MOSQ_ACL_SUBSCRIBE
        return (isSubscribe || access == MOSQ_ACL_UNSUBSCRIBE) && gate.leavesPacket(key, isSubscribe: isSubscribe)
            ? MOSQ_ERR_UNKNOWN.rawValue : MOSQ_ERR_ACL_DENIED.rawValue
    }

    /// `MOSQ_EVT_MESSAGE`: a message that may be published. Only here the plugin sees its properties.
    func message(_ event: mosquitto_evt_message) -> CInt {
        guard let properties = unsafe MessageProperties(event.properties) else { return MOSQ_ERR_SUCCESS.rawValue }
        guard let client = unsafe BrokerClient(event.client) else { return MOSQ_ERR_ACL_DENIED.rawValue }
        let key = ConnectionKey(client.key)
        guard !gate.isGateway(key) else { return MOSQ_ERR_SUCCESS.rawValue }
        gate.advance(to: Broker.uptime)
        let size = properties.size(ofFirst: AccessGate.mostProperties)
        return gate.carry(key, properties: size.count, bytes: size.bytes).isAllowed
            ? MOSQ_ERR_SUCCESS.rawValue : MOSQ_ERR_ACL_DENIED.rawValue
    }

    /// `MOSQ_EVT_CONTROL`: a message of audience changes. The sender does not get the return code.
    func control(_ event: mosquitto_evt_control) -> CInt {
        guard let client = unsafe BrokerClient(event.client) else { return MOSQ_ERR_ACL_DENIED.rawValue }
        let message = unsafe event.payload.map { payload in
            unsafe [UInt8](UnsafeRawBufferPointer(start: payload, count: Int(event.payloadlen)))
        }
        guard let outcome = gate.handle(message ?? [], from: ConnectionKey(client.key)) else {
            return MOSQ_ERR_ACL_DENIED.rawValue
        }
        carryOut(outcome, "is ended: the gateway has changed who may be signed in")
        report()
        return MOSQ_ERR_SUCCESS.rawValue
    }

    /// Ends connections and answers the gateway.
    private func carryOut(_ outcome: AudienceOutcome, _ why: String) {
        end(outcome.ended, .notice, why)
        guard let answer = outcome.answer else { return }
        switch answer {
        case .ready(let version):
            Broker.log(.notice, "parley: audiences \(version) in force: devices may sign in")
        case .snapshotNeeded(.leaseOver):
            Broker.log(.warning, "parley: the gateway has lost its store: devices are shut out until it is back")
        case .snapshotNeeded(let refusal):
            Broker.log(.error, "parley: audience change refused (\(refusal)): devices are shut out")
        }
        Broker.publish(
            AudienceCodec.encode(answer), to: AudienceChange.responseTopic, client: GatewayConnection.out.clientID)
    }

    /// `MOSQ_EVT_DISCONNECT`
    func disconnected(_ event: mosquitto_evt_disconnect) -> CInt {
        gate.advance(to: Broker.uptime)
        if let client = unsafe BrokerClient(event.client) {
            let key = ConnectionKey(client.key)
            if let bytes = sockets.bytes(key) { gate.recordSocket(key, bytes, isLast: true) }
            sockets.forget(key)
            gate.disconnect(key)
        }
        report()
        return MOSQ_ERR_SUCCESS.rawValue
    }

    /// `MOSQ_EVT_TICK`
    func tick() -> CInt {
        let uptime = Broker.uptime
        gate.advance(to: uptime)
        if let held = refusals.drainHeld(uptime: uptime) {
            Broker.log(.warning, "parley: \(held) more sign-ins were refused")
        }
        if let held = unanswered.drainHeld(uptime: uptime) {
            Broker.log(.warning, "parley: \(held) more sign-ins were closed without a verdict")
        }
        if let held = deniedFilters.drainHeld(uptime: uptime) {
            Broker.log(.warning, "parley: \(held) more subscriptions were denied")
        }
        for (why, others) in endings {
            var others = others
            guard let held = others.drainHeld(uptime: uptime) else { continue }
            endings[why] = others
            Broker.log(.notice, "parley: \(held) more: \(why)")
        }
        if let outcome = gate.drainLapse() { carryOut(outcome, "is ended: the gateway has lost its store") }
        sockets.look(uptime: uptime) { key, bytes in gate.recordSocket(key, bytes) }
        takeOff(uptime: uptime)
        relieveMemory()
        memory.trim(used: Broker.memoryUsed, uptime: uptime)
        end(gate.drainExhausted(), .notice, "must connect anew: what was kept for it is not its own any more")
        end(gate.expire(now: Broker.now), .notice, "ends: token expired")
        report()
        return MOSQ_ERR_SUCCESS.rawValue
    }

    /// Ends those who have gone on past their limits; a line a second says why.
    private func takeOff(uptime: Int64) {
        if let held = takenOff.drainHeld(uptime: uptime) {
            Broker.log(.warning, "parley: \(held) more connections went on past their limits")
        }
        for client in gate.drainExcessive() {
            if let others = takenOff.add(uptime: uptime) {
                let why = "is disconnected: \(client.reason.rawValue)\(Self.more(others))"
                Broker.log(.warning, "parley: \(client.clientID) \(why)")
            }
            if !client.hasEnded { disconnect(client.clientID) }
        }
    }

    /// Ends those for whom the broker holds too much.
    private func relieveMemory() {
        let used = Broker.memoryUsed
        let relief = gate.relieveMemory(used: used) { key in sockets.bytes(key) }
        end(relief.ended, .warning, "is ended: the broker holds too much for those who do not read")
        if let first = relief.removed.first {
            let more = relief.removed.count > 1 ? " and \(relief.removed.count - 1) more" : ""
            Broker.log(.warning, "parley: what is kept for \(first)\(more) is removed: the broker holds too much")
        }
        if relief.isUnexplained {
            Broker.log(
                .error, "parley: the broker holds \(used >> 20) MiB, above its mark, and not for those who do not read")
        }
    }

    /// Ends connections; a line a second for each reason says why.
    private func end(_ clientIDs: [String], _ level: Broker.LogLevel, _ why: String) {
        for clientID in clientIDs {
            if let others = endings[why, default: RefusalLog()].add(uptime: Broker.uptime) {
                Broker.log(level, "parley: \(clientID) \(why)\(Self.more(others))")
            }
            disconnect(clientID)
        }
    }

    /// Ends a connection, and leaves its session its subscriptions.
    ///
    /// Of a client that keeps a session the broker asks for SUBSCRIBE of each of its filters once more, and forgets
    /// those that are refused (`check_subscription_acls`); the client would be told later that its session is there,
    /// and receive nothing. Deliveries are judged one by one in any case.
    private func disconnect(_ clientID: String) {
        isDisconnecting = true
        defer { isDisconnecting = false }
        Broker.disconnect(clientID)
    }

    /// Reports to the gateway who is connected, whose old token is over, and what was counted. Not called on the path
    /// of messages.
    private func report() {
        if let counts = gate.drainCounts() {
            Broker.publish(counts.message, to: BrokerCounts.topic, client: GatewayConnection.intake.clientID)
        }
        for message in SessionRemoval.messages(for: gate.drainRemovals()) {
            Broker.publish(message, to: SessionRemoval.topic, client: GatewayConnection.intake.clientID)
        }
        for message in TokenUseCodec.messages(for: gate.drainTokenUses(now: Broker.now)) {
            Broker.publish(message, to: TokenUse.topic, client: GatewayConnection.intake.clientID)
        }
        for message in PresenceCodec.messages(for: gate.drainPresence(broker: run, now: Broker.now)) {
            Broker.publish(message, to: PresenceReport.topic, client: GatewayConnection.intake.clientID)
        }
    }
}
