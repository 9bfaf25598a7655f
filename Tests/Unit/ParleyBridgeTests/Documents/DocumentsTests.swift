import MQTTClient
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

@Suite("docs/operations.md against the code")
struct OperationsDocumentTests {
    @Test("the table of settings is what the gateway takes")
    func settingsTable() throws {
        let rows = Settings.entries.map { entry in
            [
                "`\(entry.name)`", entry.defaultText, entry.rangeText, entry.isReloadable ? "" : "restart",
                entry.meaning,
            ]
        }
        try Document("operations.md").expect(
            "settings", is: table(["setting", "default", "range", "changes need", "meaning"], rows))
    }

    @Test("the table of statistics is what the gateway publishes")
    func statisticsTable() throws {
        var rows = Counters.named.map { ["`\($0.name)`", $0.meaning] }
        rows.append(["`\(StatisticsClock.backlogName)`", "events and replies that wait for the broker now"])
        try Document("operations.md").expect("statistics", is: table(["name", "what it counts"], rows))
    }
}

@Suite("docs/protocol.md against the code")
struct ProtocolDocumentTests {
    @Test("the table of error codes is the catalogue")
    func errorCodeTable() throws {
        let rows = ErrorCode.allCases.map { ["`\($0.rawValue)`", $0.meaning] }
        try Document("protocol.md").expect("error codes", is: table(["code", "meaning"], rows))
    }

    @Test("the table of system events is what the gateway tells in a conversation")
    func systemEventTable() throws {
        let rows = SystemEvent.allCases.map { ["`\($0.rawValue)`", $0.meaning] }
        try Document("protocol.md").expect("system events", is: table(["`event`", "what it tells"], rows))
    }
}

@Suite("docs/topics.md against the code")
struct TopicsDocumentTests {
    @Test("the table of topics is the topics, and who hears them is what the plugin decides")
    func topicTable() throws {
        let rows = try TopicSample.all().map { sample in
            [
                "`\(sample.pattern)`", sample.direction, sample.delivery, try sample.hearers(),
                sample.payload.map { $0.contains(".") ? "`\($0)`" : $0 }.joined(separator: ", "),
            ]
        }
        try Document("topics.md").expect(
            "topics", is: table(["topic", "direction", "QoS, retain", "who may receive", "payload"], rows))
    }

    @Test("every event of the table of events is made, and described")
    func everyEvent() throws {
        let names = EventTable.names
        let made = try EventSample.byTopic().values.flatMap { $0.map(\.type) } + GatewayStatus.names
        #expect(Set(made) == Set(names))
        #expect(try Document("protocol.md").names("events").sorted() == names.sorted())
    }
}

@Suite("docs/monitoring.md against the code")
struct MonitoringDocumentTests {
    @Test("the table of metrics is what the gateway exposes")
    func metricsTable() throws {
        let rows = MetricFamily.all.map { family in
            [
                "`\(family.name)`", "\(family.kind)", family.labels.map { "`\($0)`" }.joined(separator: ", "),
                family.meaning,
            ]
        }
        try Document("monitoring.md").expect("metrics", is: table(["metric", "kind", "labels", "meaning"], rows))
    }
}
