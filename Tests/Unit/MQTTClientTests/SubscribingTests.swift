import Foundation
import Glibc
import MQTTClient
import TestSupport
import Testing

@Suite("Subscribing", .ownThreads)
struct SubscribingTests {
    @Test("retained messages come as the subscription asks, and are marked")
    func retained() throws {
        let broker = try TestBroker()
        try broker.connect("sender").published(topic: "kept", payload: "old", isRetained: true)
        let connection = try broker.connect("x")
        #expect(try connection.subscribed(to: "kept", retainHandling: .never) == ReasonCode(rawValue: 1))
        try connection.subscribe(to: "kept", retainHandling: .whenNew)
        try connection.subscribe(to: "kept", retainHandling: .always)
        var batch = InboundBatch()
        try connection.next(into: &batch)
        while batch.isEmpty { try connection.next(into: &batch) }
        #expect(batch.messages.map(\.isRetained) == [true])
        #expect(batch.messages.map { batch.text($0.payload) } == ["old"])
    }

    @Test("with noLocal one's own publishes stay away")
    func noLocal() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        try connection.subscribed(to: "a", noLocal: true)
        try connection.published(topic: "a", payload: "own")
        try broker.connect("other").published(topic: "a", payload: "other's")
        #expect(try connection.payloads(1) == ["other's"])
    }

    @Test("after unsubscribing nothing more comes")
    func unsubscribed() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        try connection.subscribed(to: "a")
        try connection.subscribed(to: "b")
        try connection.unsubscribe(from: "a")
        try connection.published(topic: "a", payload: "1")
        try connection.publish(topic: "b", payload: Array("2".utf8))
        #expect(try connection.payloads(1) == ["2"])
    }

    @Test("a refused subscription says so", arguments: [(MQTTVersion.v5, UInt8(0x87)), (.v311, 0x80)])
    func refused(version: MQTTVersion, expected: UInt8) throws {
        let broker = try TestBroker { directory in
            let settings = directory.appending(path: "dynamic-security.json")
            try #"{"defaultACLAccess":{"subscribe":false}}"#.write(to: settings, atomically: true, encoding: .utf8)
            return """
                plugin /usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so
                plugin_opt_config_file \(settings.path)
                """
        }
        let connection = try broker.connect("x") { $0.version = version }
        let reason = try connection.subscribed(to: "a")
        #expect(reason.rawValue == expected)
        #expect(reason.isFailure)
    }

    @Test("a filter that is none is refused before it is sent", arguments: ["", "a\0", "a/#/b", "a+"])
    func badFilter(filter: String) throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        #expect(throws: MQTTError.invalidTopic) { try connection.subscribe(to: filter) }
        #expect(throws: MQTTError.invalidTopic) { try connection.unsubscribe(from: filter) }
        #expect(try connection.subscribed(to: "good") == ReasonCode(rawValue: 1))
    }
}
