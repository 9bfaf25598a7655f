import LyingGateway
import ParleyClient
import ParleyProtocol
import Synchronization
import TestSupport

/// A broker in memory with an honest gateway behind it, which loses, delays, doubles and reorders what it is told to.
///
/// It has no thread: whichever connection waits carries on what is due.
package final class MemoryBroker: Sendable {
    private let state: Mutex<BrokerState>

    package init(_ weather: Weather = .fair) throws { state = Mutex(BrokerState(try HonestGateway(), weather)) }

    func withState<Value: Sendable>(_ body: (inout BrokerState) throws -> Value) rethrows -> Value {
        try state.withLock { try body(&$0) }
    }

    // MARK: The gateway

    /// Lets somebody exist whom the test plays, with one device.
    package func add(_ user: UserID) throws { try withState { try $0.gateway.add(user) } }

    /// Somebody whom the test plays writes.
    package func say(_ text: String, by user: UserID, to device: DeviceAddress) throws {
        try withState { state in
            for event in try state.gateway.say(text, by: user, to: device) { state.publish(event) }
        }
    }

    /// Somebody whom the test plays writes, and nothing is published of it.
    ///
    /// - Throws: ``NeverCameError`` where the device has published no keys.
    package func write(_ text: String, by user: UserID, to device: DeviceAddress) throws -> MessageRecord {
        let record = try withState { try $0.gateway.write(text, by: user, to: device) }
        guard let record else { throw NeverCameError("the keys of \(device)") }
        return record
    }

    /// Publishes what was written.
    package func deliver(_ record: MessageRecord) {
        withState { state in
            state.publish(
                HonestGateway.event(.conversation(record.conversation, .messages)) { writer in
                    writer.event("message.new") { record.write(to: &$0) }
                })
        }
    }

    /// Publishes what is pushed.
    package func push(_ notification: PushNotification) {
        publish(to: notification.user) { notification.writeEvent(to: &$0) }
    }

    /// Publishes something about the notifications of a user.
    package func publish(to user: UserID, _ write: (inout JSONWriter) -> Void) {
        let event = HonestGateway.event(.user(user, .notifications), write)
        withState { $0.publish(event) }
    }

    /// The messages of which their senders want others notified in quiet hours, too.
    package var urgent: Set<MessageID> { withState { $0.gateway.urgent } }

    /// By what devices are reached that are not connected.
    package var pushTargets: [DeviceAddress: PushTarget] { withState { $0.gateway.pushTargets } }

    /// Answers registrations for pushes so from now on; `nil` takes them.
    package func refusePushes(_ rejection: Rejection?) { withState { $0.gateway.refusePushes(rejection) } }

    /// What those whom the test plays could open, in the order in which the gateway took it.
    package var heard: [String] { withState { $0.gateway.heard } }

    /// What was reported of days, in the order in which the gateway took it, repeats included.
    package var reports: [ReportMetrics] { withState { $0.gateway.reports } }

    /// Answers reports of days so from now on; `nil` takes them.
    package func refuseReports(_ rejection: Rejection?) { withState { $0.gateway.refuseReports(rejection) } }

    package func records(of conversation: ConversationID) -> [MessageID] {
        withState { $0.gateway.records(of: conversation) }
    }

    // MARK: The network

    /// What becomes of packets from now on.
    package func set(_ weather: Weather) { withState { $0.weather = weather } }

    /// Breaks every connection; what is on its way to a device is lost with it.
    package func dropConnections(_ trouble: ConnectionError = .lost) { withState { $0.drop(trouble) } }

    /// Why nobody can sign in from now on; `nil` if they can.
    package func refuseSignIns(_ trouble: ConnectionError?) { withState { $0.refusal = trouble } }

    /// What is found out about a sign-in that was refused, when that is asked.
    package func setDiagnosis(_ trouble: ConnectionError?) { withState { $0.diagnosis = trouble } }

    /// A filter that the broker grants nobody.
    package func refuse(filter: String) { withState { _ = $0.refusedFilters.insert(filter) } }

    /// From now on the tokens of its one device count.
    package func setTokens(_ tokens: TokenDesk?) { withState { $0.tokens = tokens } }

    // MARK: What came of it

    /// The token that was given last.
    package var currentToken: DeviceCredentials? { withState { $0.tokens?.current } }

    /// The passwords with which devices have signed in.
    package var passwords: [String] { withState { $0.passwords } }

    /// The requests that devices have sent, repeats included, whatever became of them.
    package var requests: [Operation] { withState { $0.requests } }

    /// The filters that devices have asked for, on each connection anew.
    package var asked: [String] { withState { $0.asked } }

    /// How often it was asked why a sign-in was refused.
    package var diagnoses: Int { withState { $0.diagnoses } }

    /// How many connections there were.
    package var connections: Int { withState { $0.connectionCount } }
}

/// Reaches a ``MemoryBroker``, whatever the gateway's address is.
package struct MemoryTransport: DeviceTransport {
    private let broker: MemoryBroker

    package init(_ broker: MemoryBroker) { self.broker = broker }

    package func connect(_ signIn: SignIn, signal: LoopSignal) throws(ConnectionError) -> any TransportConnection {
        let text = Array(signIn.clientID.utf8)
        guard let client = ClientID(parsing: text.span) else { throw .notAuthorized }
        let result = broker.withState { $0.connect(client.address, signIn.credentials.password, signal) }
        return MemoryConnection(try result.get(), broker, signal)
    }

    package func diagnose(
        _ trouble: ConnectionError, at gateway: GatewayAddress, timeout: Duration
    ) -> ConnectionError? {
        broker.withState { state in
            state.diagnoses += 1
            return state.diagnosis
        }
    }
}

/// Reaches nobody.
package struct NoTransport: DeviceTransport {
    package init() {}

    package func connect(_ signIn: SignIn, signal: LoopSignal) throws(ConnectionError) -> any TransportConnection {
        throw .lost
    }
}
