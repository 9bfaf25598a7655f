import Testing

@testable import ParleyBridge

@Suite("Requests of probes")
struct ProbeRequestTests {
    private func read(_ text: String) -> ProbeRequest.Reading { ProbeRequest.read(Array(text.utf8)) }

    private func status(_ reading: ProbeRequest.Reading) -> ProbeResponse.Status? {
        if case .refused(let response) = reading { response.status } else { nil }
    }

    @Test(
        "a path is asked for by GET or HEAD",
        arguments: [
            ("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", ProbeRequest(path: "/livez", isHead: false)),
            ("HEAD /metrics HTTP/1.0\r\n\r\n", ProbeRequest(path: "/metrics", isHead: true)),
            ("GET /readyz?verbose=1 HTTP/1.1\nA: b\n\n", ProbeRequest(path: "/readyz", isHead: false)),
            ("GET / HTTP/1.1\r\n\r\nmore that is not read", ProbeRequest(path: "/", isHead: false)),
        ])
    func requests(text: String, request: ProbeRequest) {
        #expect(read(text) == .request(request))
    }

    @Test(
        "a head without its end is waited for",
        arguments: ["", "G", "GET /livez HTTP/1.1", "GET /livez HTTP/1.1\r\n", "GET /livez HTTP/1.1\r\nHost: a\r\n\r"])
    func incomplete(text: String) {
        #expect(read(text) == .incomplete)
    }

    @Test(
        "garbage is refused",
        arguments: [
            "\r\n\r\n", "\n\n", "GET\r\n\r\n", "GET /livez\r\n\r\n", "GET  /livez HTTP/1.1\r\n\r\n",
            "GET /livez HTTP/2.0\r\n\r\n", "GET livez HTTP/1.1\r\n\r\n", "GET http://a/livez HTTP/1.1\r\n\r\n",
            "GET /é HTTP/1.1\r\n\r\n", "GET /\t HTTP/1.1\r\n\r\n", "\u{16}\u{03}\u{01}\r\n\r\n",
        ])
    func garbage(text: String) {
        #expect(status(read(text)) == .badRequest)
    }

    @Test(
        "other methods are refused, and told which there are", arguments: ["POST", "PUT", "DELETE", "get", "CONNECT"])
    func methods(method: String) {
        let reading = read("\(method) /metrics HTTP/1.1\r\n\r\n")
        #expect(status(reading) == .methodNotAllowed)
        guard case .refused(let response) = reading else { return }
        #expect(String(decoding: response.encoded(), as: UTF8.self).contains("\r\nAllow: GET, HEAD\r\n"))
    }

    @Test("a head has at most 4 KiB")
    func oversize() {
        let head = "GET / HTTP/1.1\r\nA: "
        let rest = ProbeRequest.longest - head.utf8.count
        let fits = head + String(repeating: "a", count: rest - 4) + "\r\n\r\n"
        #expect(read(fits) == .request(ProbeRequest(path: "/", isHead: false)))
        #expect(status(read(head + String(repeating: "a", count: rest))) == .headTooLarge)
        #expect(status(read(head + String(repeating: "a", count: rest) + "\r\n\r\n")) == .headTooLarge)
    }

    @Test("the answer to HEAD has the length of the body, and no body")
    func head() {
        let response = ProbeResponse(.unavailable, "two\nlines")
        let (whole, head) = (response.encoded(), response.encoded(isHead: true))
        #expect(String(decoding: whole, as: UTF8.self).hasSuffix("\r\n\r\ntwo\nlines\n"))
        #expect(Array(whole.dropLast(10)) == head)
        #expect(
            String(decoding: head, as: UTF8.self).hasPrefix(
                "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 10\r\n")
        )
    }
}
