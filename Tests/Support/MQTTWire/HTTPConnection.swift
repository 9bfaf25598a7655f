import Platform

/// A TCP connection to an HTTP server of this machine, over which a test may send any bytes.
///
/// It blocks, no longer than a minute at a time. Confined to whoever uses it.
package final class HTTPConnection {
    /// What the server answered to one request.
    package struct Answer {
        package let status: Int
        package let fields: [(name: String, value: String)]
        package let body: [UInt8]

        /// The first value of a field.
        package subscript(name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    private let descriptor: Int32
    /// What has come and was not taken.
    package private(set) var input: [UInt8] = []
    /// Whether the server has closed the connection, as far as was read.
    package private(set) var isEnded = false
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var isClosed = false

    package static let patience = Duration.seconds(60)

    package init(toLoopbackPort port: UInt16) throws { descriptor = try Socket.connect(toLoopbackPort: port) }

    deinit { close() }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        Socket.close(descriptor)
    }

    /// Sends all of it; what a server that has closed does not take is dropped.
    package func send(_ bytes: [UInt8], within limit: Duration = patience) throws {
        let deadline = ContinuousClock.now.advanced(by: limit)
        var sent = 0
        while sent < bytes.count, !isEnded {
            do throws(SystemError) {
                let count = try Socket.send(descriptor, bytes, from: sent)
                sent += count
                if count == 0 {
                    guard ContinuousClock.now < deadline else { throw SystemError(call: "send", errno: ETIMEDOUT) }
                    try wait(POLLIN | POLLOUT)
                    // A server that waits for its own answer to be taken goes on.
                    receiveNow()
                }
            } catch {
                guard error.errno == EPIPE || error.errno == ECONNRESET else { throw error }
                receiveNow()
                isEnded = true
            }
        }
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// As many of the bytes as the server takes at this moment.
    ///
    /// - Returns: how many.
    package func sendNow(_ bytes: [UInt8]) -> Int { (try? Socket.send(descriptor, bytes, from: 0)) ?? 0 }

    private func wait(_ events: Int32) throws(SystemError) {
        var entries = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
        _ = try Socket.poll(&entries, milliseconds: 1000)
    }

    /// Takes what has come.
    package func receiveNow() {
        while !isEnded {
            do throws(SystemError) {
                let count = try Socket.receive(descriptor, into: &buffer, at: 0)
                guard count > 0 else { return }
                input += buffer[..<count]
            } catch {
                isEnded = true
            }
        }
    }

    /// Reads until `body` gives something; `nil` if the connection ends before.
    package func until<Value>(
        _ what: String, within limit: Duration = patience, _ body: (HTTPConnection) throws -> Value?
    ) throws -> Value? {
        let deadline = ContinuousClock.now.advanced(by: limit)
        while true {
            if let value = try body(self) { return value }
            if isEnded { return nil }
            guard ContinuousClock.now < deadline else { throw UnansweredError(what: what) }
            try wait(POLLIN)
            receiveNow()
        }
    }

    /// Takes bytes from the front of the input.
    package func drop(_ count: Int) { input.removeFirst(min(count, input.count)) }

    /// Waits for the server to close.
    package func awaitEnd(within limit: Duration = patience) throws {
        _ = try until("the end of the connection", within: limit) { $0.isEnded ? () : nil }
    }

    /// The next answer; `nil` if the connection ends without one.
    ///
    /// - Parameter hasBody: `false` for the answer to HEAD.
    package func answer(hasBody: Bool = true, within limit: Duration = patience) throws -> Answer? {
        try until("an answer", within: limit) { try $0.takeAnswer(hasBody) }
    }

    private func takeAnswer(_ hasBody: Bool) throws -> Answer? {
        guard let end = input.firstRange(of: "\r\n\r\n".utf8)?.upperBound else { return nil }
        let lines = String(decoding: input[..<end], as: UTF8.self).split(separator: "\r\n")
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
        guard lines[0].hasPrefix("HTTP/1."), let status else { throw UnansweredError(what: "HTTP: \(lines[0])") }
        let fields = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (name: String(line[..<colon]), value: String(line[colon...].dropFirst().drop { $0 == " " }))
        }
        let head = Answer(status: status, fields: fields, body: [])
        let count = hasBody && status >= 200 && status != 204 ? head["content-length"].flatMap { Int($0) } ?? 0 : 0
        guard input.count >= end + count else { return nil }
        defer { input.removeFirst(end + count) }
        return Answer(status: status, fields: fields, body: Array(input[end..<(end + count)]))
    }
}

/// A server said nothing in time, or what is no HTTP.
package struct UnansweredError: Error, CustomStringConvertible {
    let what: String

    package var description: String { "never came: \(what)" }
}
