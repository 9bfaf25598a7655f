import MQTTClient
import ParleyProtocol

/// Publishes the counters under `gateway/stats`, every 10 s.
struct StatisticsClock {
    private var nextAt = ContinuousClock.now

    static let interval = Duration.seconds(10)

    /// How long until the next time.
    var timeout: Duration { max(.zero, nextAt - .now) }

    mutating func publish(_ counters: Counters, backlog: Int, over connection: MQTTConnection) throws {
        guard ContinuousClock.now >= nextAt else { return }
        nextAt = .now.advanced(by: StatisticsClock.interval)
        for (name, _, counter) in Counters.named {
            try publish(name, counters[keyPath: counter].current, over: connection)
        }
        try publish(StatisticsClock.backlogName, backlog, over: connection)
    }

    /// The one value that is no counter: events and replies that wait for the broker.
    static let backlogName = "backlog"

    private func publish(_ name: String, _ value: Int, over connection: MQTTConnection) throws {
        try connection.publish(
            topic: Topic.gatewayStats(name: name).name, payload: Array(String(value).utf8), qos: .atMostOnce,
            isRetained: true)
    }
}

/// The broker's own statistics.
enum BrokerStatistics {
    /// Connections of all clients, present ones.
    static let connectionsTopic = "$SYS/broker/clients/connected"
    /// Messages dropped because a client's queue was full.
    static let droppedTopic = "$SYS/broker/publish/messages/dropped"
}
