import Foundation
import PostgreSQLServer
import TestSupport
import Testing

/// A gateway that reads on a standby.
@Suite("A cell with a standby", .ownThreads, .postgreSQL)
struct CellStandbyTests {
    @Test("devices find at once what was answered, the standby has answered some of it, and the statistics say so")
    func reads() throws {
        let primary = try CellSite.durableServer()
        let database = try primary.database()
        let standby = try PostgreSQLServer(standbyOf: primary)
        let gateway = try TestGateway(
            arguments: [
                "--store", database.uri, "--standby", standby.uri(database: database.name), "--cell", "main",
            ], start: false)
        try gateway.startBroker()
        try gateway.startParleyd()
        let (alice, bob, conversation) = try gateway.pair()
        let request: JSON = ["conversation_id": .string(conversation), "after": 0, "limit": 100]
        for count in 1...50 {
            let id = try alice.say(in: conversation)
            let history = try bob.accepted("history/get", request)["messages"].elements
            #expect(history.count == count && history.last?["id"].text == id)
        }
        let console = try gateway.operatorClient()
        let topic = "parley/v1/gateway/stats/standby-reads"
        try console.subscribe(topic)
        _ = try console.take("reads on the standby") {
            $0.topic == topic && (Int(String(decoding: $0.payload, as: UTF8.self)) ?? 0) > 0
        }
        // It is no part of a start.
        standby.stop()
        #expect(gateway.endParleyd() == 0)
        try gateway.startParleyd()
        let anew = try gateway.connect(bob.credentials, DeviceClient.Options(connection: "anew"))
        #expect(try anew.accepted("history/get", request)["messages"].elements.count == 50)
    }
}
