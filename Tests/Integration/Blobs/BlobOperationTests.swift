import Foundation
import Glibc
import ParleyProtocol
import TestSupport
import Testing

/// `blobs/create` of a blob for a conversation.
private func announcement(
    _ conversation: String, id: String = newID(), size: Int = 100, digest: UInt8 = 6
) -> JSON {
    [
        "id": .string(id), "conversation_id": .string(conversation), "size": .int(size),
        "digest": .string(base64([UInt8](repeating: digest, count: 32))),
    ]
}

extension DeviceClient {
    /// Announces a blob and sends a message that names it.
    ///
    /// - Returns: their ids.
    fileprivate func share(in conversation: String, _ changes: JSON = [:]) throws -> (blob: JSON, message: JSON) {
        let blob = announcement(conversation)
        try accepted("blobs/create", blob)
        let sent = message(conversation, JSON.object(["blobs": [blob["id"]]]).with(changes))
        try accepted("messages/send", sent)
        return (blob["id"], sent["id"])
    }

    /// The code with which a blob is refused; `nil` if it is this device's to have.
    fileprivate func refusalOfBlob(_ id: JSON) throws -> String? { try refusal("blobs/get", ["id": id]) }
}

extension TestGateway {
    /// A web door's own device, as it asks for itself.
    fileprivate func doorClient() throws -> DeviceClient {
        let path = try directory(of: .webDoor) + "/credentials.json"
        let credentials = try JSONDecoder().decode(
            DeviceCredentials.self, from: Data(contentsOf: URL(filePath: path)))
        return try connect(credentials, DeviceClient.Options(connection: uniqueName("door")))
    }
}

extension GatewayTests {
    @Suite("Blobs")
    final class BlobOperationTests: TrioSuite {
        @Test("what a message names is for those who may read it, and nobody else learns that it is there")
        func shared() throws {
            let conversation = try alice.conversation(with: bob.user)
            let blob = announcement(conversation)
            let made = try alice.accepted("blobs/create", blob)
            #expect(made.keys == ["id", "conversation_id", "size", "digest", "created_at", "expires_at"])
            for field in ["id", "conversation_id", "size", "digest"] { #expect(made[field] == blob[field]) }
            #expect(try alice.accepted("blobs/create", blob) == made)
            #expect(try bob.refusalOfBlob(blob["id"]) == "not_found")
            let sent = message(conversation, ["blobs": [blob["id"]]])
            let first = try alice.accepted("messages/send", sent)
            #expect(try alice.accepted("messages/send", sent) == first)
            #expect(try alice.refusal("messages/send", sent.without("blobs")) == "conflict")
            let another = sent.with(["id": .string(newID())])
            #expect(try alice.refusal("messages/send", another) == "not_found")
            let tablet = try gateway.client("tablet", of: alice.user)
            for client in [alice, tablet, bob] {
                let found = try client.accepted("blobs/get", ["id": blob["id"]])
                #expect(found["expires_at"] == .null && found["digest"] == made["digest"])
            }
            let foreign = try carol.request("blobs/get", ["id": blob["id"]])
            #expect(try foreign == carol.request("blobs/get", ["id": .string(newID())]))
            #expect(foreign["error"]["code"] == "not_found")
            // What is not theirs they cannot name, delete or announce anew.
            let group = try carol.group(with: alice, bob)
            #expect(
                try carol.refusal("messages/send", message(group, ["blobs": [blob["id"]]])) == "not_found")
            #expect(try carol.refusal("blobs/delete", ["id": blob["id"]]) == "not_found")
            #expect(try carol.refusal("blobs/create", announcement(conversation)) == "not_found")
            #expect(try alice.refusal("blobs/delete", ["id": blob["id"]]) == "conflict")
        }

        @Test("who joins later has nothing of before, and who was removed nothing at all")
        func membership() throws {
            let group = try alice.group(with: bob)
            let before = try alice.share(in: group).blob
            try alice.accepted(
                "conversations/add-members",
                ["conversation_id": .string(group), "user_ids": [.string(carol.user)]])
            let within = try bob.share(in: group).blob
            #expect(try carol.refusalOfBlob(before) == "not_found")
            #expect(try carol.refusalOfBlob(within) == nil)
            let hers = try carol.share(in: group).blob
            try alice.accepted(
                "conversations/remove-member", ["conversation_id": .string(group), "user_id": .string(carol.user)])
            let after = try alice.share(in: group).blob
            for blob in [before, within, after] { #expect(try carol.refusalOfBlob(blob) == "not_found") }
            // What she has made stays hers, and theirs with whom she has shared it.
            for client in [carol, alice, bob] { #expect(try client.refusalOfBlob(hers) == nil) }
            #expect(try carol.refusal("blobs/create", announcement(group)) == "not_found")
        }

        @Test("who is blocked is answered as with messages")
        func blocked() throws {
            let clients = try gateway.clients(2, privacy: .followers)
            let (dave, erin) = (clients[0], clients[1])
            try dave.befriend(erin)
            let conversation = try dave.conversation(with: erin.user)
            let blob = try dave.share(in: conversation).blob
            try erin.accepted("social/block", ["user_id": .string(dave.user)])
            let refusal = try dave.refusal("messages/send", message(conversation))
            #expect(try dave.refusal("blobs/create", announcement(conversation)) == refusal && refusal != nil)
            #expect(try erin.refusal("blobs/create", announcement(conversation)) == "blocked")
            // What was read before may be read now.
            for client in [dave, erin] { #expect(try client.refusalOfBlob(blob) == nil) }
        }

        @Test("what is deleted for all is nobody's, and a door hears that its bytes are to be removed")
        func deleted() throws {
            let conversation = try alice.conversation(with: bob.user)
            let (blob, sent) = try alice.share(in: conversation)
            try alice.accepted("messages/delete", change(of: sent, in: conversation, "delete"))
            for client in [alice, bob] { #expect(try client.refusalOfBlob(blob) == "not_found") }
            let unsent = announcement(conversation)
            try alice.accepted("blobs/create", unsent)
            try alice.accepted("blobs/delete", ["id": unsent["id"]])
            #expect(try alice.refusal("blobs/delete", ["id": unsent["id"]]) == "not_found")
            #expect(try alice.refusal("blobs/create", unsent) == "conflict")
            #expect(try alice.refusal("messages/send", message(conversation, ["blobs": [unsent["id"]]])) == "not_found")

            let door = try gateway.doorClient()
            let stranger = JSON.string(newID())
            let found = try door.accepted("blobs/collect", ["known": [blob, stranger, unsent["id"]]])
            #expect(found["unknown"].elements == [stranger])
            #expect(
                Set(found["gone"].elements.compactMap(\.text)).isSuperset(of: [blob, unsent["id"]].compactMap(\.text)))
            let rest = try door.accepted("blobs/collect", ["removed": [blob, unsent["id"]]])
            #expect(rest["unknown"].elements == [])
            #expect(
                Set(rest["gone"].elements.compactMap(\.text)).isDisjoint(with: [blob, unsent["id"]].compactMap(\.text)))
            #expect(try alice.refusal("blobs/delete", ["id": blob]) == "not_found")
            #expect(try alice.refusal("blobs/collect") == "forbidden")
            #expect(try door.refusal("blobs/get", ["id": blob]) == "forbidden")
            #expect(try gateway.operatorClient().refusal("blobs/collect") == "forbidden")
        }

        @Test("hostile fields are refused, and nothing of them is stored")
        func hostile() throws {
            let conversation = try alice.conversation(with: bob.user)
            let blob = announcement(conversation)
            let path: JSON = "../../parleyd.json"
            let cases: [(JSON, String)] = [
                (["id": path], "bad_request"), (["id": .null], "bad_request"), (["size": 16], "bad_request"),
                (["size": -1], "bad_request"), (["size": 17.5], "bad_request"), (["size": "100"], "bad_request"),
                (["size": 1e300], "bad_request"), (["size": 9_007_199_254_740_991], "too_large"),
                (["digest": .string(base64([UInt8](repeating: 6, count: 31)))], "bad_request"),
                (["digest": "%%%%"], "bad_request"), (["digest": path], "bad_request"),
                (["conversation_id": path], "bad_request"), (["conversation_id": .string(newID())], "not_found"),
            ]
            for (change, code) in cases {
                #expect(try alice.refusal("blobs/create", blob.with(change)) == code, "\(change)")
            }
            #expect(try alice.refusalOfBlob(blob["id"]) == "not_found")
            #expect(try alice.refusalOfBlob(path) == "bad_request")
            let id = JSON.string(newID())
            let many = JSON.array((0..<9).map { _ in .string(newID()) })
            for (blobs, code) in [([id, id], "bad_request"), (many, "too_large"), ([path], "bad_request")] {
                let refusal = try alice.refusal("messages/send", message(conversation, ["blobs": blobs]))
                #expect(refusal == code, "\(blobs)")
            }
            let door = try gateway.doorClient()
            for list in [JSON.array((0..<201).map { _ in id }), [path], "x"] {
                for field in ["known", "removed"] {
                    #expect(["too_large", "bad_request"].contains(try door.refusal("blobs/collect", [field: list])))
                }
            }
        }
    }
}

/// Each test has a gateway of its own.
@Suite("Blobs and time", .ownThreads)
struct BlobLifeTests {
    @Test(
        "a blob ends with a message that disappears, and without a message after a day", .oneMachine(.clock))
    func ends() async throws {
        let host = try TestGateway(start: false)
        try host.startBroker()
        let clock = MovedClock()
        try await host.runInProcess(by: clock) {
            let (alice, bob, conversation) = try host.pair()
            let staying = try alice.share(in: conversation).blob
            let brief = try alice.share(in: conversation, ["expires_in": 3600]).blob
            let waiting = announcement(conversation)
            try alice.accepted("blobs/create", waiting)
            clock.move(by: 3_500_000)
            #expect(try bob.refusalOfBlob(brief) == nil)
            clock.move(by: 3_700_000)
            #expect(try bob.refusalOfBlob(brief) == "not_found")
            #expect(try alice.refusalOfBlob(brief) == "not_found")
            #expect(try alice.refusalOfBlob(waiting["id"]) == nil)
            clock.move(by: 86_500_000)
            #expect(try alice.refusalOfBlob(waiting["id"]) == "not_found")
            let late = message(conversation, ["blobs": [waiting["id"]]])
            #expect(try alice.refusal("messages/send", late) == "not_found")
            let door = try host.doorClient()
            let over = Set([brief, waiting["id"]].compactMap(\.text))
            try eventually("what is over among what is gone") {
                let gone = try door.accepted("blobs/collect")["gone"].elements.compactMap(\.text)
                return Set(gone) == over ? () : nil
            }
            #expect(try bob.refusalOfBlob(staying) == nil)
        }
    }

    @Test("quotas: so many that wait, so many bytes a day, and no more for one than for another")
    func quotas() throws {
        let gateway = try TestGateway(
            settings: TestGateway.roomy.with([
                "blobs_open": 2, "blob_bytes": 1_048_576, "blob_bytes_per_day": 2_097_152,
            ]))
        let (alice, bob, conversation) = try gateway.pair()
        let first = announcement(conversation)
        try alice.accepted("blobs/create", first)
        try alice.accepted("blobs/create", announcement(conversation))
        let refused = try alice.request("blobs/create", announcement(conversation))["error"]
        #expect(refused["code"] == "rate_limited" && refused["retry_after_ms"] != .null)
        // A repeat is none more, and what was refused is not there.
        try alice.accepted("blobs/create", first)
        try alice.accepted("messages/send", message(conversation, ["blobs": [first["id"]]]))
        #expect(try alice.refusal("blobs/create", announcement(conversation, size: 1_060_000)) == "too_large")
        try alice.accepted("blobs/create", announcement(conversation, size: 1_048_576))
        let waiting = announcement(conversation, size: 1_048_576)
        try bob.accepted("blobs/create", waiting)
        try bob.accepted("blobs/delete", ["id": waiting["id"]])
        try bob.accepted("blobs/create", announcement(conversation, size: 1_048_576))
        #expect(try bob.refusal("blobs/create", announcement(conversation)) == "rate_limited")
        let info = try bob.accepted("gateway/info")["limits"]
        #expect(info["blob_bytes"] == 1_048_576 && info["blobs_open"] == 2)
    }

    @Test("what was answered before a kill is there after it: the blob, and its message, once")
    func kills() throws {
        let gateway = try TestGateway()
        var (alice, bob, conversation) = try gateway.pair()
        // Under a new name: a reply from before the kill may come once more, and must not be taken for a later one.
        func again(_ client: DeviceClient) throws -> DeviceClient {
            try gateway.connect(client.credentials, DeviceClient.Options(connection: gateway.uniqueName("again")))
        }
        for _ in 0..<TestForm.count(short: 3, whole: 30) {
            let blob = announcement(conversation)
            let made = try alice.accepted("blobs/create", blob)
            gateway.endParleyd(SIGKILL)
            try gateway.startParleyd()
            (alice, bob) = (try again(alice), try again(bob))
            #expect(try alice.accepted("blobs/get", ["id": blob["id"]]) == made)
            let sent = message(conversation, ["blobs": [blob["id"]]])
            try alice.ask("messages/send", sent.bytes, as: "unanswered")
            gateway.endParleyd(SIGKILL)
            try gateway.startParleyd()
            (alice, bob) = (try again(alice), try again(bob))
            // Whether it was carried out before the kill or not: the repeat has the one message.
            let reply = try alice.accepted("messages/send", sent)
            let named = try bob.accepted("blobs/get", ["id": blob["id"]])
            #expect(named["expires_at"] == .null)
            let last = try bob.accepted("history/get", ["conversation_id": .string(conversation)])["messages"].elements
                .last
            #expect(last?["id"] == sent["id"] && last?["seq"] == reply["seq"])
        }
    }
}
