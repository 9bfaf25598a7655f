import Foundation
import Glibc
import MQTTClient
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests {
    /// What an operator does with a user, at a real broker.
    @Suite("Disabled and removed users")
    final class DisabledUserTests: PersonSuite {
        private func isRefused(_ credentials: DeviceCredentials) -> Bool {
            do {
                try gateway.connect(credentials).disconnect()
                return false
            } catch {
                return error as? MQTTError == .refused(ReasonCode(rawValue: 0x87))
            }
        }

        private func ends(_ client: DeviceClient) -> Bool {
            (try? client.until("the end of the session") { nil as Void? }) == nil && !client.isConnected
        }

        private func user(_ client: DeviceClient) -> JSON { ["user_id": .string(client.user)] }

        @Test("a disabled user's connections end at once and none comes back until they are enabled; nothing is lost")
        func disabled() throws {
            let console = try gateway.operatorClient()
            let bob = try gateway.client()
            let watch = try gateway.client("watch", of: alice.user)
            let conversation = try bob.conversation(with: alice.user)
            try bob.accepted("messages/send", message(conversation))
            #expect(try console.accepted("admin/disable-user", user(alice))["changed"] == true)
            #expect(ends(alice) && ends(watch))
            for credentials in [alice.credentials, watch.credentials] { #expect(isRefused(credentials)) }
            #expect(try console.refusal("admin/renew-device", user(alice).with(["device_id": "phone"])) == "forbidden")
            #expect(try console.accepted("admin/disable-user", user(alice))["changed"] == false)
            // To others they are a user who is away.
            try bob.accepted("messages/send", message(conversation))
            #expect(try bob.accepted("profile/get", user(alice))["user_id"].text == alice.user)

            #expect(try console.accepted("admin/enable-user", user(alice))["changed"] == true)
            let back = try gateway.connect(alice.credentials)
            let history = try back.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(history["messages"].elements.count == 2)
            try gateway.connect(watch.credentials).accepted("profile/get")
        }

        @Test("a removed user's connections end; what they have sent stays in others' conversations")
        func removed() throws {
            let console = try gateway.operatorClient()
            let bob = try gateway.client()
            let conversation = try bob.conversation(with: alice.user)
            try bob.accepted("messages/send", message(conversation))
            try alice.accepted("messages/send", message(conversation))
            #expect(try console.accepted("admin/remove-user", user(alice))["changed"] == true)
            #expect(ends(alice) && isRefused(alice.credentials))
            let history = try bob.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(history["messages"].elements.map { $0["encrypted_content"] != .null } == [true, true])
            #expect(try bob.refusal("profile/get", user(alice)) == "not_found")
            #expect(try console.accepted("admin/remove-user", user(alice))["changed"] == false)
        }
    }
}

/// Each test has a gateway of its own.
@Suite("Disabled users, over restarts", .ownThreads)
struct DisabledUserRestartTests {
    @Test("who is disabled stays so when broker and gateway are killed")
    func killed() throws {
        let gateway = try TestGateway()
        let alice = try gateway.client()
        try gateway.operatorClient().accepted("admin/disable-user", ["user_id": .string(alice.user)])
        gateway.endBroker(SIGKILL)
        gateway.endParleyd(SIGKILL)
        try gateway.startBroker()
        try gateway.startParleyd()
        #expect(throws: MQTTError.refused(ReasonCode(rawValue: 0x87))) { _ = try gateway.connect(alice.credentials) }
        try gateway.operatorClient().accepted("admin/enable-user", ["user_id": .string(alice.user)])
        try gateway.connect(alice.credentials).accepted("profile/get")
    }
}
