import Foundation
import Launch
import MQTTWire
import ParleyProtocol
import TestSupport
import Testing

/// What a supervisor and Prometheus see of a real gateway.
@Suite("Watching", .ownThreads, .oneMachine(.ownCell))
struct WatchingTests {
    private let gateway: TestGateway
    private let port: UInt16
    private var settings: JSON

    init() throws {
        port = try freePort()
        settings = TestGateway.roomy.with(["probe_port": .int(Int(port))])
        gateway = try TestGateway(settings: settings, start: false)
    }

    private func get(_ path: String) throws -> (status: Int, body: String) {
        let connection = try HTTPConnection(toLoopbackPort: port)
        try connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        guard let answer = try connection.answer() else { throw NeverCameError("an answer to \(path)") }
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Waits until `/readyz` says this.
    private func awaitReadiness(_ what: String, _ isMeant: (Int, String) -> Bool) throws {
        try eventually("that \(what)") { () -> Void? in
            guard let (status, body) = try? get("/readyz") else { return nil }
            return isMeant(status, body) ? () : nil
        }
    }

    /// The value of a sample by its name and labels.
    private func value(_ sample: String) throws -> Double? {
        let line = try get("/metrics").body.split(separator: "\n").first { $0.hasPrefix("\(sample) ") }
        return line.flatMap { Double($0.dropFirst(sample.count + 1)) }
    }

    /// Starts both, and returns when the probes are answered too.
    private func start() throws {
        try gateway.startBroker()
        try gateway.startParleyd()
        try awaitReadiness("it is ready") { status, body in status == 200 && body == "ok\n" }
    }

    @Test("without its broker it lives and is not ready, and says why; with it, it is ready")
    func probes() throws {
        try gateway.launchParleyd()
        try awaitReadiness("the broker is missing") { status, body in
            status == 503 && body.contains("the broker is not connected\n")
        }
        #expect(try get("/livez").status == 200)
        try gateway.startBroker()
        try awaitReadiness("it is ready") { status, _ in status == 200 }
        #expect(try get("/livez").status == 200)
        #expect(try get("/nothing").status == 404)
        gateway.endBroker()
        try awaitReadiness("the broker is away") { status, body in
            status == 503
                && body == "the broker is not connected\nthe broker has not granted the subscription to requests\n"
                    + "the broker's plugin has not answered\n"
        }
        try gateway.startBroker()
        try awaitReadiness("it is ready again") { status, _ in status == 200 }
        #expect(gateway.endParleyd() == 0)
    }

    @Test("a database that cannot be written makes it not ready, until it can again")
    func database() throws {
        try start()
        let parleyd = try #require(gateway.parleyd)
        let (alice, _, conversation) = try gateway.pair()
        let scratch = gateway.directory + "/prlimit.out"
        try parleyd.limitFileSize(1 << 20, scratch: scratch)
        let content = base64([UInt8](repeating: 3, count: 30_000))
        // Where something smaller still fits, it is ready again.
        try eventually("that the database is full") { () -> Void? in
            _ = try alice.request("messages/send", message(conversation, ["encrypted_content": .string(content)]))
            return try get("/readyz") == (503, "the database cannot be written\n") ? () : nil
        }
        try parleyd.limitFileSize(nil, scratch: scratch)
        // Nobody asks for anything meanwhile.
        try awaitReadiness("it can be written") { status, _ in status == 200 }
    }

    @Test("what was asked for, refused and published is counted and measured, by closed sets of labels")
    func metrics() throws {
        try start()
        let (alice, bob, conversation) = try gateway.pair()
        for _ in 0..<10 { try alice.accepted("messages/send", message(conversation)) }
        let unknown: JSON = ["conversation_id": .string(newID())]
        for _ in 0..<3 { #expect(try bob.refusal("history/get", unknown) == "not_found") }
        #expect(try bob.refusal("nobody/knows") == "not_found")
        #expect(try bob.refusal("messages/send", [:]) == "bad_request")
        #expect(try value("parley_requests_total{operation=\"messages/send\",outcome=\"accepted\"}") == 10)
        #expect(try value("parley_requests_total{operation=\"messages/send\",outcome=\"rejected\"}") == 1)
        #expect(try value("parley_requests_total{operation=\"history/get\",outcome=\"rejected\"}") == 3)
        #expect(try value("parley_requests_total{operation=\"unknown\",outcome=\"rejected\"}") == 1)
        #expect(try value("parley_refusals_total{code=\"not_found\"}") == 4)
        #expect(try value("parley_refusals_total{code=\"bad_request\"}") == 1)
        #expect(try value("parley_request_seconds_count{operation=\"messages/send\"}") == 11)
        #expect(try value("parley_messages_total") == 10)
        #expect(try value("parley_ready") == 1)
        for histogram in ["parley_batch_requests", "parley_commit_seconds", "parley_delivery_lag_seconds"] {
            #expect(try value("\(histogram)_count") ?? 0 > 0, "\(histogram)")
        }
        // It is published to the broker every ten seconds.
        try eventually("the broker's connections") { try value("parley_broker_connections") ?? 0 >= 4 ? () : nil }
        let text = try get("/metrics").body
        for name in [alice.user, alice.device, conversation] { #expect(!text.contains(name)) }
    }

    @Test("every metric that an alert or the dashboard names is exposed")
    func named() throws {
        try start()
        let (alice, _, conversation) = try gateway.pair()
        try alice.accepted("messages/send", message(conversation))
        let text = try get("/metrics").body
        let families = Set(
            text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) })
        for file in ["alerts.yml", "dashboard.json"] {
            let page = try String(
                contentsOf: Document.folder.appending(path: "monitoring/\(file)"), encoding: .utf8)
            let names = Set(page.matches(of: /\b(?:parley|process)_[a-z_]+/).map { String($0.output) })
            #expect(names.count > 5)
            for name in names where !name.hasPrefix("parley_web_") {
                let family = ["_bucket", "_sum", "_count"].reduce(name) { name, suffix in
                    name.hasSuffix(suffix) && !families.contains(name) ? String(name.dropLast(suffix.count)) : name
                }
                #expect(families.contains(family), "\(file) names \(name)")
            }
        }
    }

    @Test("SIGHUP has it take over new limits, in the plugin too, while devices stay connected")
    func reload() throws {
        try start()
        let (alice, _, _) = try gateway.pair()
        try gateway.write(settings.with(["group_members": 3, "connections_per_device": 1, "batch_limit": 7]))
        gateway.parleyd?.send(SIGHUP)
        try eventually("the reload") {
            gateway.log.contains("changed=\"group_members connections_per_device\"") ? () : nil
        }
        try eventually("the setting that a reload does not change") {
            gateway.log.contains("setting=batch_limit") ? () : nil
        }
        #expect(try alice.accepted("gateway/info")["limits"]["group_members"] == 3)
        // The plugin hears of it a moment later.
        let credentials = alice.credentials
        try eventually("a second connection that is turned away") { () -> Void? in
            let second = try WireClient(port: gateway.mqttPort)
            defer { second.close() }
            let verdict = try second.connect(
                "\(credentials.clientID):x", username: credentials.username, password: Array(credentials.password.utf8))
            return verdict == nil ? () : nil
        }
        #expect(try alice.accepted("gateway/info")["limits"]["group_members"] == 3)
    }

    @Test("settings with mistakes change nothing, and each mistake is logged")
    func mistakes() throws {
        try start()
        let alice = try gateway.client()
        try gateway.write(settings.with(["group_members": 3, "waiting_reads": 0, "wrong": 1]))
        gateway.parleyd?.send(SIGHUP)
        try eventually("the mistakes") { () -> Void? in
            gateway.log.contains("waiting_reads: not in 1 to 100000; it is 0")
                && gateway.log.contains("there is no setting ") ? () : nil
        }
        #expect(try alice.accepted("gateway/info")["limits"]["group_members"] == 10)
        #expect(gateway.isParleydRunning)
    }
}
