import MQTTClient
import ParleyProtocol
import Testing

extension GatewayTests {
    /// Where replies go, and how they are told apart.
    @Suite("Replies")
    final class ReplyTests: PersonSuite {
        private func next(on topic: String) throws -> DeviceClient.Message {
            try alice.take("a reply on \(topic)") { $0.topic == topic }
        }

        @Test("a reply comes on the response topic with the same correlation data")
        func responseTopic() throws {
            let correlation: [UInt8] = [0, 1, 2, 0xFF, 0x80, 0]
            try alice.send(
                "\(alice.up)/profile/get", [0x7B, 0x7D], responseTopic: "\(alice.down)/my/own/place",
                correlation: correlation)
            let reply = try next(on: "\(alice.down)/my/own/place")
            #expect(reply.correlation == correlation)
            #expect(reply.json["data"]["user_id"].text == alice.user)
        }

        @Test("without a response topic a reply comes on the default topic, and has the correlation data still")
        func defaultTopic() throws {
            try alice.send("\(alice.up)/profile/get", [0x7B, 0x7D], correlation: [9])
            #expect(try next(on: "\(alice.down)/profile/get/accepted").correlation == [9])
            try alice.send("\(alice.up)/history/get", [0x7B, 0x7D])
            #expect(try next(on: "\(alice.down)/history/get/rejected").json["error"]["code"] == "bad_request")
        }

        @Test("a response topic that is not below one's own is ignored")
        func foreignResponseTopic() throws {
            let bob = try gateway.client()
            let topics = [
                "parley/v1/down/\(bob.user)/phone/replies", "\(alice.down)x/replies", "parley/v1/gateway/status",
                "\(alice.down)", "\(alice.down)/", "somewhere/else",
            ]
            for topic in topics {
                try alice.send("\(alice.up)/profile/get", [0x7B, 0x7D], responseTopic: topic)
                #expect(try next(on: "\(alice.down)/profile/get/accepted").json["ok"] == true)
            }
            try bob.accepted("profile/get")
            #expect(bob.inbox.isEmpty)
        }

        @Test("a reply repeats the request's own id, refused or not")
        func requestID() throws {
            let accepted = try alice.request("profile/get", ["request_id": "jä \" 1"])
            #expect(accepted["request_id"] == "jä \" 1")
            let refused = try alice.request("history/get", ["request_id": "2"])
            #expect(refused["request_id"] == "2")
            #expect(try alice.request("no/such", ["request_id": "3"])["request_id"] == "3")
            #expect(try alice.request("profile/get")["request_id"] == .null)
        }

        @Test("a device that speaks 3.1.1 gets its replies on the default topics")
        func version311() throws {
            let old = try gateway.connect(try gateway.person(), DeviceClient.Options(version: .v311))
            #expect(try old.subscribe("\(old.down)/#") == 1)
            try old.publish("\(old.up)/profile/get", JSON.object(["request_id": "a"]).bytes)
            let reply = try old.take("a reply") { $0.topic == "\(old.down)/profile/get/accepted" }.json
            #expect(reply["request_id"] == "a")
            #expect(reply["data"]["user_id"].text == old.user)
            // It cannot be told that a publish was refused: the acknowledgement looks like success.
            #expect(try old.publish("parley/v1/up/\(alice.user)/phone/profile/get", [0x7B, 0x7D]) == 0)
            try old.publish("\(old.up)/messages/send", [])
            let refusal = try old.take("a refusal") { $0.topic == "\(old.down)/messages/send/rejected" }.json
            #expect(refusal["error"]["code"] == "bad_request")
        }

        @Test("a further connection of the same device has its replies, beside the first")
        func furtherConnection() throws {
            let tool = try gateway.connect(alice.credentials, DeviceClient.Options(connection: "tool"))
            try tool.accepted("profile/get")
            try alice.accepted("profile/get")
        }
    }
}
