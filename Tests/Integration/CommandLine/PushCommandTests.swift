import Launch
import MQTTWire
import Foundation
import TestSupport
import Testing

@Suite("parley push, trace and explain --push", .ownThreads, .timeLimit(.minutes(20)))
struct PushCommandTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }
    private var directory: String { couple.gateway.directory }

    init() throws {
        var settings = TestGateway.roomy
        settings["push_allow_private_endpoints"] = true
        // Who listens is connected.
        settings["push_always"] = true
        couple = try Couple(settings: settings)
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
        // Bob's phone hears of alice's: without her keys it could open nothing of hers.
        let listening = try couple.listen(as: "bob/phone", "--json")
        try couple.send("before")
        #expect(try couple.lines(of: listening, count: 1).count == 1)
        listening.child.send(SIGTERM)
        #expect(listening.child.waitUntilEnded() == 0)
    }

    @Test(
        "what is sent to somebody who is connected shows on the topic, opened, with where it leads; and on the desktop")
    func listening() throws {
        // In place of the desktop's own, which tests have none of.
        let programs = "\(directory)/programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
        let script = "#!/bin/bash\nprintf '%s\\n' \"$@\" >\"$(mktemp \(programs)/shown-XXXXXX)\"\n"
        try Data(script.utf8).write(to: URL(filePath: "\(programs)/notify-send"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: "\(programs)/notify-send")
        let listening = try parley.start(
            ["push", "listen", "--as", "bob/phone", "--json"],
            script: "PATH=\(programs):$PATH exec \"$0\" --data \"$@\"")
        try couple.awaitWord("listening for what is pushed to bob", of: listening)
        let text = "$(touch \(directory)/oops) <b> --icon=x \u{1B}[2J"
        let id = try couple.send(text)["data"]["id"]
        let push = try #require(try couple.lines(of: listening, count: 1).first)
        #expect(push["type"] == "message" && push["message"]["id"] == id)
        #expect(push["message"]["content"]["text"].text == text && push["message"]["sender_id"] == "alice")
        #expect(push["link"].text == "parley://conversation/\(push["conversation_id"].text ?? "")")
        #expect(push["is_verified"] == false && push["is_read"] == false)
        let shown = try eventually("what is shown on the desktop; it said: \(listening.errors)") { () -> [String]? in
            let names = try FileManager.default.contentsOfDirectory(atPath: programs).filter { $0.hasPrefix("shown-") }
            let words = try names.first.map { try String(contentsOfFile: "\(programs)/\($0)", encoding: .utf8) } ?? ""
            return words.hasSuffix("\n") ? words.split(separator: "\n").map(String.init) : nil
        }
        #expect(
            shown == [
                "--app-name=parley", "--", "alice",
                #"$(touch \#(directory)/oops) &lt;b&gt; --icon=x \u{1b}[2J"#,
            ])
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/oops"))

        // Read on another device, it is to be taken away.
        let read = try parley.run(
            "request", "--as", "bob/phone", "receipts/read",
            #"{"conversation_id":"\#(push["conversation_id"].text ?? "")","message_id":"\#(id.text ?? "")"}"#)
        #expect(read.status == 0, "\(read.output)")
        let cleared = try eventually("what was read; it showed: \(listening.output)") { () -> JSON? in
            let lines = try couple.lines(of: listening, count: 1)
            return lines.map { $0["cleared"] }.first { $0["conversation_id"] == push["conversation_id"] }
        }
        #expect(cleared["seq"] == push["seq"] && cleared["ids"] == [], "\(listening.output)")
    }

    @Test("a registered device gets a test, and the operator sees what has become of it and of a message")
    func testing() throws {
        let nobody = try parley.run("push", "test", "bob")
        #expect(nobody.status == 1 && nobody.errors.contains("no device of bob is registered"), "\(nobody.errors)")
        let (server, port) = try webhook()
        let registered = try parley.run(
            "push", "register", "webhook", "--as", "bob/phone", "http://127.0.0.1:\(port)/bob", "--secret", "-",
            input: "0123456789abcdef\n")
        #expect(registered.status == 0 && registered.json["provider"] == "webhook")
        let tested = try parley.run("push", "test", "bob", "--json")
        #expect(tested.status == 0, "\(tested.errors)")
        #expect(tested.json["device_id"] == "phone" && tested.json["answer"] == "accepted (204)")
        let bodies = try eventually("what was posted") { () -> [JSON]? in
            let lines = try String(contentsOfFile: "\(directory)/posted", encoding: .utf8).split(separator: "\n")
            return lines.isEmpty ? nil : try lines.map { try JSON(parsing: $0.utf8) }
        }
        #expect(bodies.first?["type"] == "test" && bodies.first?["id"] == tested.json["id"])

        let id = try #require(try couple.send("while you sleep")["data"]["id"].text)
        let posted = try eventually("the message") { () -> String? in
            let lines = try String(contentsOfFile: "\(directory)/posted", encoding: .utf8).split(separator: "\n")
            return lines.count > 1 ? String(lines[1]) : nil
        }
        // The extension's way, of what has really been pushed.
        let opened = try parley.read("push", "open", "--as", "bob/phone", "-", input: posted)
        #expect(opened.status == 0 && opened.output.contains("alice/phone: while you sleep"), "\(opened)")
        let trace = try eventually("its answer") { () -> ParleyTool.Outcome? in
            let trace = try parley.read("trace", id)
            return trace.output.contains("accepted (204)") ? trace : nil
        }
        #expect(trace.output.hasPrefix("message \(id) of alice, number 2 of conversation "))
        #expect(trace.lines.contains { $0.hasPrefix("bob") && $0.contains("phone, webhook") && $0.contains("notify") })
        let explained = try parley.read("explain", "--push", id, "bob")
        #expect(
            explained.status == 0 && explained.output.contains("bob: notify"), "\(explained.output)\(explained.errors)")
        let own = try parley.run("explain", "--push", id, "alice", "--json")
        #expect(own.json["decision"] == "none" && own.json["now"]["reason"] == "own", "\(own.output)")

        #expect(try parley.run("push", "unregister", "--as", "bob/phone").status == 0)
        #expect(try parley.run("push", "test", "bob").status == 1)
        server.send(SIGTERM)
    }

    @Test("what cannot be registered is refused, by the tool or by the gateway")
    func refused() throws {
        let short = try parley.run(
            "push", "register", "webhook", "--as", "bob/phone", "https://example.org/", "--secret", "short")
        #expect(short.status == 2 && short.errors.contains("secret"), "\(short.errors)")
        let key = try parley.run(
            "push", "register", "webpush", "--as", "bob/phone", "https://example.org/", "--p256dh", "AAAA", "--auth",
            "AAAA")
        #expect(key.status == 2 && key.errors.contains("p256dh"), "\(key.errors)")
        let unknown = try parley.run("trace", newID())
        #expect(unknown.status == 1 || unknown.output == "nothing is known of it\n")
    }

    /// A server that writes what is posted to it into the file `posted`, a line each.
    private func webhook() throws -> (ChildProcess, UInt16) {
        let port = try freePort()
        let program = """
            import http.server
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers['Content-Length']))
                    with open('posted', 'ab') as file: file.write(body + b'\\n')
                    self.send_response(204); self.end_headers()
            server = http.server.HTTPServer(('127.0.0.1', \(port)), Handler)
            open('posted', 'ab').close()
            server.serve_forever()
            """
        let server = try ChildProcess(
            "/usr/bin/env", ["python3", "-c", program], directory: directory, output: "\(directory)/webhook.out",
            errors: "\(directory)/webhook.err")
        try eventually("the server") { () -> Void? in
            guard server.isRunning else {
                let errors = try String(contentsOfFile: "\(directory)/webhook.err", encoding: .utf8)
                throw NeverCameError("the server: \(errors)")
            }
            return FileManager.default.fileExists(atPath: "\(directory)/posted") ? () : nil
        }
        return (server, port)
    }
}
