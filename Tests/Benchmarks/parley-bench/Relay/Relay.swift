import MQTTClient
import Platform
import ParleyBridge
import ParleyProtocol
import ParleyStore

/// The least that could stand in the gateway's place: takes what the devices send and publishes it, as it is, to the
/// conversation that it names. It checks nothing and answers nothing.
///
/// It signs in as the gateway's own `intake` while the gateway is stopped. So broker, plugin, devices, subscriptions
/// and every decision about rights are the same as for the gateway (the plugin keeps the audiences that it was given
/// last), and so are the MQTT library and the batches: what differs is what the gateway does and a relay does not. One
/// connection serves both directions, which is the cheapest that a relay can be.
struct Relay {
    let link: BrokerLink
    /// Where each batch is committed and synced before any of it is published or acknowledged; `nil` to keep nothing.
    let store: Store?
    let stop: StopFlag
    /// Signalled after `stop` is raised.
    let wakeUp: WakeUp

    /// Relays until `stop` is raised.
    ///
    /// - Parameter onReady: called when the subscription to requests stands.
    func run(batchLimit: Int, onReady: () -> Void) throws {
        let connection = try link.connection(.intake, now: .systemNow, wall: .systemNow)
        try connection.connect(timeout: .seconds(5))
        defer { connection.disconnect() }
        try connection.subscribe(to: Topic.everyRequest, retainHandling: .never)
        try connection.flush()

        var batch = InboundBatch()
        var queue = RelayQueue()
        if let store { try queue.resume(after: store) }
        var acknowledgements: [Acknowledgement] = []
        var isReady = false
        while !stop.isRaised {
            let end = try connection.readBatch(into: &batch, limit: batchLimit)
            let added = queue.append(batch)
            if let store { try queue.commit(added, to: store) }
            connection.drainAcknowledgements(into: &acknowledgements)
            acknowledgements.removeAll(keepingCapacity: true)
            try queue.publish(over: connection)
            // The batch is published, and committed if there is a store: now its PUBACKs may leave.
            try connection.flush()
            if !isReady, isSubscribed(connection) {
                isReady = true
                onReady()
            }
            if end == .drained { try wait(connection) }
        }
    }

    private func isSubscribed(_ connection: MQTTConnection) -> Bool {
        var results: [SubscriptionResult] = []
        connection.drainSubscriptionResults(into: &results)
        return results.contains { !$0.reason.isFailure }
    }

    private func wait(_ connection: MQTTConnection) throws {
        var watched = [
            WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite),
            WatchedDescriptor(wakeUp.descriptor),
        ]
        if try waitForEvents(&watched, timeout: .seconds(1)) == 0 { try connection.housekeeping() }
    }
}
