import MQTTWire
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests.WebTests {
    /// Frames that no app should send, and apps that do not read.
    @Suite("WebSocket frames")
    final class SocketFrameTests: DoorSuite {
        private func socket() throws -> AppSocket { try AppSocket.opened(door, try gateway.person()) }

        /// Whether the WebSocket still answers.
        private func isOpen(_ socket: AppSocket) throws -> Bool {
            try socket.send(WebSocketFrame(.ping, [1, 2]))
            return try socket.awaitPong() == [1, 2]
        }

        @Test("pings are answered with what they carry, and a close with a close")
        func control() throws {
            let socket = try socket()
            for payload in [[], [7], [UInt8](repeating: 9, count: 125)] {
                try socket.send(WebSocketFrame(.ping, payload))
                #expect(try socket.awaitPong() == payload)
            }
            try socket.send(WebSocketFrame(.close, [0x03, 0xE8]))
            #expect(try socket.awaitClose() == 1000)
        }

        @Test("what is no command is told by an event, and the WebSocket goes on")
        func badCommands() throws {
            let socket = try socket()
            for text in [
                "", "{", "[]", "null", "{}", #"{"type":1}"#, #"{"type":"x"}"#, #"{"type":"resume","data":[]}"#,
                #"{"type":"resume","data":{"cursors":7}}"#, "\u{0}", String(repeating: "[", count: 10_000),
            ] {
                try socket.send(.text(text))
                #expect(try socket.event("error")["code"] == "bad_request", "\(text.prefix(40))")
            }
            try socket.send(WebSocketFrame(.text, [0xFF, 0xFE]))
            _ = try? socket.event("error")
            try socket.send("typing.start", [:])
            try socket.send("typing.start", ["conversation_id": .string(newID())])
        }

        @Test("a message in fragments is one message, with pings between them")
        func fragments() throws {
            let socket = try socket()
            let text = Array(#"{"type":"resume","data":{"cursors":{}}}"#.utf8)
            try socket.send(WebSocketFrame(.text, Array(text[..<10]), isFinal: false))
            try socket.send(WebSocketFrame(.ping, [5]))
            try socket.send(WebSocketFrame(.continuation, Array(text[10..<20]), isFinal: false))
            try socket.send(WebSocketFrame(.continuation, Array(text[20...])))
            #expect(try socket.awaitPong() == [5])
            #expect(try socket.event("resume")["conversations"] == [])
        }

        @Test("frames of other shapes end the WebSocket, and others hear on")
        func badFrames() throws {
            let (alice, bob, conversation) = try gateway.pair()
            let listener = try AppSocket.opened(door, bob.credentials)
            let long = WebSocketFrame(.text, [UInt8](repeating: 0x20, count: 300_000)).bytes()
            let endless = (0..<100).flatMap { index in
                WebSocketFrame(index == 0 ? .text : .continuation, [0x20], isFinal: false).bytes()
            }
            let cases: [(String, [UInt8])] = [
                ("binary", WebSocketFrame(.binary, [1]).bytes()), ("more than 256 KiB", long),
                ("unmasked", WebSocketFrame(.text, [0x7B, 0x7D]).bytes(isMasked: false)), ("100 fragments", endless),
                ("a continuation of nothing", WebSocketFrame(.continuation, [1]).bytes()),
                ("an unknown opcode", [0x83, 0x80, 0, 0, 0, 0]), ("a reserved bit", [0xC1, 0x80, 0, 0, 0, 0]),
                ("a long ping", [0x89, 0xFE, 0, 126, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 126)),
                ("a ping in fragments", [0x09, 0x80, 0, 0, 0, 0]),
                ("a length of 2^63", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
                ("no WebSocket", Array(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 10).utf8)),
            ]
            for (name, bytes) in cases {
                let socket = try socket()
                try socket.send(raw: bytes)
                do {
                    let code = try socket.awaitClose()
                    #expect(code == nil || [1002, 1003, 1009].contains(code), "\(name): \(code ?? 0)")
                } catch {
                    Issue.record("\(name): \(error)")
                }
            }
            let sent = message(conversation)
            try alice.accepted("messages/send", sent)
            _ = try listener.event("message.new") { $0["id"] == sent["id"] }
        }

        @Test("an app that sends a thousand messages at once is cut off with 1008")
        func flood() throws {
            let socket = try socket()
            let message = WebSocketFrame.text(#"{"type":"typing.start","data":{"conversation_id":"x"}}"#).bytes()
            try socket.send(raw: (0..<1000).flatMap { _ in message })
            let code = try socket.awaitClose()
            #expect(code == 1008 || code == nil)
            #expect(try door.answersOthers())
        }

        @Test("a reader who takes nothing is cut off, while others hear every message")
        func slowReader() throws {
            let (alice, bob, conversation) = try gateway.pair()
            let slow = try AppSocket.opened(door, bob.credentials)
            let other = try AppSocket.opened(door, try gateway.device("tablet", of: bob.user))
            let content = JSON.string(base64([UInt8](repeating: 1, count: 45_000)))
            var ids: [JSON] = []
            // What the kernel buffers for the slow one is some megabytes.
            for _ in 0..<250 {
                let sent = message(conversation, ["encrypted_content": content])
                try alice.accepted("messages/send", sent)
                _ = try other.event("message.new") { $0["id"] == sent["id"] }
                ids.append(sent["id"])
            }
            _ = try slow.awaitClose()
            #expect(slow.inbox.count < ids.count)
        }
    }
}
