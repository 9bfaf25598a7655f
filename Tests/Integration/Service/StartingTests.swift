import Foundation
import Glibc
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyStore

/// How the two processes of a gateway begin, wait for each other, and end. Each test has a gateway of its own.
@Suite("Starting and ending", .ownThreads)
struct StartingTests {
    @Test("the gateway without its broker says what it waits for, and goes on when the broker comes")
    func withoutBroker() throws {
        let gateway = try TestGateway(start: false)
        try gateway.launchParleyd()
        try eventually("the reason") { gateway.log.contains("waiting for the broker") ? () : nil }
        #expect(gateway.isParleydRunning)
        #expect(!gateway.isReady)
        try gateway.startBroker()
        try gateway.awaitReady()
        _ = try gateway.pair()
    }

    @Test("the broker without its gateway says so, and closes a device's connection without a verdict")
    func withoutGateway() throws {
        let gateway = try TestGateway()
        let person = try gateway.person()
        gateway.endParleyd()
        gateway.endBroker()
        try gateway.startBroker()
        try eventually("the reason") { gateway.brokerLog.contains("waiting for the gateway") ? () : nil }
        let client = try WireClient(port: gateway.mqttPort)
        #expect(
            try client.connect(person.clientID, username: person.username, password: Array(person.password.utf8))
                == nil)
        try gateway.startParleyd()
        try gateway.connect(person).accepted("profile/get")
    }

    @Test(
        "a gateway that is asked to end says that it is offline, and ends with status 0", .oneMachine(.connection),
        arguments: [SIGTERM, SIGINT])
    func ending(_ signal: Int32) throws {
        let gateway = try TestGateway()
        let alice = try gateway.client()
        try alice.subscribe("parley/v1/gateway/status")
        #expect(try alice.event("gateway.status", on: "gateway/status")["state"] == "online")
        #expect(gateway.endParleyd(signal) == 0)
        #expect(try alice.event("gateway.status", on: "gateway/status")["state"] == "offline")
        try gateway.startParleyd()
        #expect(try alice.event("gateway.status", on: "gateway/status")["state"] == "online")
    }

    @Test("a gateway that is killed is offline by its will", .oneMachine(.connection))
    func killed() throws {
        let gateway = try TestGateway()
        let alice = try gateway.client()
        try alice.subscribe("parley/v1/gateway/status")
        let online = try alice.take("the status") { $0.topic == "parley/v1/gateway/status" }
        #expect(online.isRetained)
        #expect(online.json["data"]["version"].text?.isEmpty == false)
        #expect(online.json["data"]["since"].text.flatMap { Timestamp($0) } != nil)
        gateway.endParleyd(SIGKILL)
        #expect(try alice.event("gateway.status", on: "gateway/status")["state"] == "offline")
        let bob = try gateway.connect(alice.credentials, DeviceClient.Options(connection: "late"))
        try bob.subscribe("parley/v1/gateway/status")
        #expect(try bob.event("gateway.status", on: "gateway/status")["state"] == "offline")
    }

    @Test("a second gateway on the same data directory is refused with a sentence, and hurts nothing")
    func second() throws {
        let gateway = try TestGateway()
        let second = try gateway.run(["--data", gateway.directory])
        #expect(second.status == 78)
        #expect(second.errors.contains("is in use by another gateway"))
        _ = try gateway.pair()
    }

    @Test("a database of a newer version is refused with a sentence, and left as it is", .oneMachine(.databaseFile))
    func newerSchema() throws {
        let gateway = try TestGateway(start: false)
        let later = Migration(name: "999", sql: "CREATE TABLE later (x INTEGER) STRICT")
        _ = try Store(path: gateway.database, migrations: Migrations([.m001, later]))
        let refused = try gateway.run(["--data", gateway.directory])
        #expect(refused.status == 78)
        #expect(refused.errors.contains("was made by a newer version of Parley"))
        #expect(throws: StoreError.self) { try Store(path: gateway.database) }
        _ = try Store(path: gateway.database, migrations: Migrations([.m001, later]))
    }

    @Test(
        "what the gateway makes is its owner's alone, though the umask lets others read", .oneMachine(.databaseFile))
    func modes() throws {
        let gateway = try TestGateway()
        _ = try gateway.pair()
        let files = try FileManager.default.contentsOfDirectory(atPath: gateway.directory).filter {
            $0.hasPrefix("parley.")
        }
        #expect(Set(files).isSuperset(of: ["parley.db", "parley.db-wal", "parley.witness"]))
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(gateway.directory)/\(file)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
    }

    @Test("mistakes in the settings are refused and logged, a line for each")
    func settings() throws {
        let gateway = try TestGateway(settings: ["request_burst": 0, "no_such": 1, "batch_limit": "x"], start: false)
        let refused = try gateway.run(["--data", gateway.directory])
        #expect(refused.status == 78)
        for name in ["request_burst", "no_such", "batch_limit"] { #expect(refused.errors.contains(name)) }
        let lines = refused.errors.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains("Z error parleyd ") }, "\(refused.errors)")
    }
}
