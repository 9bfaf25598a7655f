import HTTPDoubles
import ParleyProtocol
import Synchronization

/// A server of SMTP in this process that answers, or misbehaves, as a test says.
final class SMTPDouble: Sendable {
    enum Answer: Sendable {
        case line(String)
        case silence
        case end
    }

    /// The answers by the command's verb; `GREETING` before all, `MESSAGE` after the message.
    struct Script: Sendable {
        var answers: [String: Answer] = [:]
        /// What EHLO lists.
        var extensions = ["8BITMIME"]

        static func answering(_ verb: String, _ text: String) -> Script { Script(answers: [verb: .line(text)]) }
    }

    /// What a client has sent.
    struct Received: Sendable {
        var commands: [String] = []
        /// Those before TLS was there.
        var plainCommands: [String] = []
        var message: [UInt8] = []
    }

    private final class Log: Sendable {
        let state = Mutex(Received())
    }

    private let log: Log
    private let listener: Listener

    /// - Parameter isTLS: from the first byte.
    init(_ script: Script = Script(), isTLS: Bool = false) throws {
        let log = Log()
        self.log = log
        let tls = try ServerTLS(protocols: ["smtp"])
        listener = try Listener { descriptor in
            guard let stream = ServerStream(descriptor, isTLS ? tls : nil) else { return }
            var session = Session(stream: stream, script: script, log: log, isSecure: isTLS)
            session.run { ServerStream(descriptor, tls) }
        }
    }

    var port: Int { listener.port }
    var received: Received { log.state.withLock { $0 } }

    func close() { listener.close() }

    private struct Session {
        var stream: ServerStream
        let script: Script
        let log: Log
        var isSecure: Bool
        private var buffer: [UInt8] = []

        init(stream: ServerStream, script: Script, log: Log, isSecure: Bool) {
            (self.stream, self.script, self.log, self.isSecure) = (stream, script, log, isSecure)
        }

        mutating func run(secure: () -> ServerStream?) {
            guard answer("GREETING", "220 mail.example ESMTP") else { return }
            while let line = readLine() {
                let verb = line.prefix { $0 != " " }.uppercased()
                log.state.withLock { [isSecure] received in
                    received.commands.append(line)
                    if !isSecure { received.plainCommands.append(line) }
                }
                guard perform(verb, secure) else { return }
            }
        }

        private mutating func perform(_ verb: String, _ secure: () -> ServerStream?) -> Bool {
            switch verb {
            case "EHLO":
                let lines = ["mail.example"] + script.extensions
                let text = lines.enumerated().map { "250\($0 == lines.count - 1 ? " " : "-")\($1)" }
                return answer(verb, text.joined(separator: "\r\n"))
            case "STARTTLS":
                guard answer(verb, "220 go on"), let stream = secure() else { return false }
                (self.stream, isSecure, buffer) = (stream, true, [])
                return true
            case "AUTH":
                guard answer("CHALLENGE", "334 "), let secret = readLine() else { return false }
                log.state.withLock { $0.commands.append(secret) }
                return answer(verb, "235 welcome")
            case "DATA":
                guard answer(verb, "354 go on") else { return false }
                guard script.answers[verb] == nil else { return true }
                readMessage()
                return answer("MESSAGE", "250 taken")
            case "QUIT":
                _ = answer(verb, "221 bye")
                return script.answers[verb] != nil
            default: return answer(verb, "250 yes")
            }
        }

        private func answer(_ verb: String, _ usual: String) -> Bool {
            switch script.answers[verb] ?? .line(usual) {
            case .line(let text): stream.write(Array((text + "\r\n").utf8))
            case .silence: true
            case .end: false
            }
        }

        private mutating func readLine() -> String? {
            while true {
                if let end = buffer.firstIndex(of: 0x0A) {
                    let line = buffer[..<end].filter { $0 != 0x0D }
                    buffer.removeFirst(end + 1)
                    return String(decoding: line, as: UTF8.self)
                }
                guard let part = stream.read() else { return nil }
                buffer += part
            }
        }

        /// Without the dots that were doubled (RFC 5321 §4.5.2).
        private mutating func readMessage() {
            while let line = readLine(), line != "." {
                let text = line.hasPrefix(".") ? String(line.dropFirst()) : line
                log.state.withLock { $0.message += Array((text + "\r\n").utf8) }
            }
        }
    }
}

extension SMTPDouble.Answer: Equatable {}
