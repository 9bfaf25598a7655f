import MQTTWire
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests.WebTests {
    /// Bytes on a connection that are no request, or none that all readers read alike. Each has a clear status or a
    /// closed connection, and the door answers others meanwhile.
    @Suite("Hostile HTTP")
    final class HostileHTTPTests: DoorSuite {
        private static let document = "/api/v1/openapi.json"

        /// The statuses of all answers until the door closes.
        private func statuses(_ bytes: [UInt8]) throws -> [Int] {
            let connection = try door.connect()
            try connection.send(bytes)
            var statuses: [Int] = []
            while let answer = try connection.answer() { statuses.append(answer.status) }
            return statuses
        }

        private static let ends = "Connection: close\r\n\r\n"

        /// Of two framings of a body that differ, whatever stands behind the first must never be taken for a request.
        @Test(
            "a body whose length is said in two ways is refused, and what stands in it is no request",
            arguments: [
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
                "Content-Length: 4\r\nContent-Length: 5\r\n", "Content-Length: 4, 5\r\n", "Content-Length: -1\r\n",
                "Content-Length: +4\r\n", "Content-Length: 0x4\r\n", "Content-Length: 99999999999999999999\r\n",
                "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                "Content-Length: 4\r\n Transfer-Encoding: chunked\r\n",
            ])
        func smuggling(fields: String) throws {
            let inner = "GET \(HostileHTTPTests.document) HTTP/1.1\r\nHost: x\r\n\(HostileHTTPTests.ends)"
            let request = "POST /api/v1/profile/get HTTP/1.1\r\nHost: x\r\n\(fields)\r\n0\r\n\r\n" + inner
            let statuses = try statuses(Array(request.utf8))
            #expect(!statuses.isEmpty && statuses.allSatisfy { $0 == 400 || $0 == 401 }, "\(statuses)")
            #expect(try door.answersOthers())
        }

        @Test(
            "what is no HTTP is refused",
            arguments: [
                "\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\nA\0: x\r\n\r\n",
                "GET / HTTP/1.1\r\nA: x\0y\r\n\r\n", "GET / HTTP/1.1\r\nA: x\ry\r\n\r\n", "GET /\u{0} HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
                "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3}\r\n\r\n",
            ])
        func noHTTP(request: String) throws {
            let statuses = try statuses(Array(request.utf8))
            #expect(statuses.allSatisfy { (400..<500).contains($0) } && statuses.count <= 1, "\(statuses)")
            #expect(try door.answersOthers())
        }

        @Test(
            "what is no HTTP behind a good request is refused in the form of all errors",
            arguments: [
                ("GET\r\n\r\n", 400), ("\0\0\0\0\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
                ("GET / HTTP/1.1\r\nA: \(String(repeating: "a", count: 65_536))\r\n\r\n", 431),
            ])
        func laterRequest(request: String, status: Int) throws {
            let connection = try door.connect()
            try connection.send(TestDoor.request("GET", HostileHTTPTests.document))
            #expect(try connection.answer()?.status == 200)
            try connection.send(request)
            let answer = WebAnswer(try #require(try connection.answer()))
            #expect(answer.status == status && answer.code == "bad_request")
            try connection.awaitEnd()
        }

        @Test("bare line feeds and chunk extensions are read as one request or refused, never as two")
        func lenientFraming() throws {
            let lines = "GET \(HostileHTTPTests.document) HTTP/1.1\nHost: x\nConnection: close\n\n"
            #expect(try statuses(Array(lines.utf8)).count <= 1)
            let chunks =
                "POST /api/v1/profile/get HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\(HostileHTTPTests.ends)"
            #expect(try statuses(Array((chunks + "2;a=b\r\n{}\r\n0\r\nTrailer: x\r\n\r\n").utf8)) == [401])
            for bad in ["zz\r\n{}\r\n", "-1\r\n{}\r\n", "ffffffffffffffffff\r\n", "2\r\n{}}}\r\n0\r\n\r\n"] {
                let statuses = try statuses(Array((chunks + bad).utf8))
                #expect(statuses == [401] || statuses == [400] || statuses.isEmpty, "\(bad): \(statuses)")
            }
            #expect(try door.answersOthers())
        }

        @Test("headers of 64 KiB, hundreds of them, and a target of 64 KiB are refused")
        func tooMany() throws {
            let long = String(repeating: "a", count: 65_536)
            let many = (0..<400).map { "A\($0): x\r\n" }.joined()
            for request in [
                "GET / HTTP/1.1\r\nHost: x\r\nA: \(long)\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\(many)\r\n",
                "GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\(long): x\r\n\r\n",
            ] {
                let statuses = try statuses(Array(request.utf8))
                #expect(statuses.isEmpty || [[400], [414], [431]].contains(statuses), "\(statuses)")
            }
            #expect(try door.answersOthers())
        }

        @Test("an endless body is ended soon behind its bound, with a length and in chunks")
        func endlessBody() throws {
            let token = try gateway.person().password
            for framing in ["Content-Length: 1099511627776", "Transfer-Encoding: chunked"] {
                let connection = try door.connect()
                let head = TestDoor.request("POST", "/api/v1/profile/get", token: token, [framing])
                try connection.send(head)
                let part = [UInt8](repeating: 0x20, count: 65_536)
                let chunk = framing.hasPrefix("T") ? Array("10000\r\n".utf8) + part + Array("\r\n".utf8) : part
                var sent = 0
                // Ended or answered long before as much as this.
                while !connection.isEnded, connection.input.isEmpty, sent < 1 << 30 {
                    try connection.send(chunk)
                    connection.receiveNow()
                    sent += chunk.count
                }
                #expect(sent < 64 << 20, "\(framing): \(sent)")
                if let answer = try connection.answer() { #expect(answer.status == 413) }
                try connection.awaitEnd()
            }
            #expect(try door.answersOthers())
        }

        @Test("a body of more than the gateway takes is 413 in the gateway's form")
        func tooLarge() throws {
            let credentials = try gateway.person()
            let body = Array("{}".utf8) + [UInt8](repeating: 0x20, count: 265_000)
            let connection = try door.connect()
            try connection.send(TestDoor.request("POST", "/api/v1/profile/get", body, token: credentials.password))
            let answer = WebAnswer(try #require(try connection.answer()))
            #expect(answer.status == 413 && answer.code == "too_large")
        }

        @Test("ten thousand pipelined requests are answered in their order")
        func pipelined() throws {
            let connection = try door.connect()
            let known = TestDoor.request("GET", "/api/v1/users/me/public-key")
            let unknown = TestDoor.request("GET", "/api/v1/nothing/here")
            let count = 10_000
            var bytes: [UInt8] = []
            for index in 0..<count { bytes += index % 3 == 0 ? unknown : known }
            try connection.send(bytes)
            for index in 0..<count {
                let answer = try #require(try connection.answer(), "\(index)")
                try #require(answer.status == (index % 3 == 0 ? 404 : 401), "\(index)")
            }
            #expect(try door.answersOthers())
        }

        @Test("HTTP/1.0 is answered and its connection closed; HEAD and others are refused with what the path has")
        func versionsAndMethods() throws {
            let connection = try door.connect()
            try connection.send("GET \(HostileHTTPTests.document) HTTP/1.0\r\n\r\n")
            #expect(try connection.answer()?.status == 200)
            try connection.awaitEnd()
            let head = try door.ask("HEAD", HostileHTTPTests.document)
            #expect(head.status == 405 && head.fields["allow"] == "GET")
            for method in ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get", "FOO"] {
                let connection = try door.connect()
                try connection.send(TestDoor.request(method, "/api/v1/messages"))
                let answer = try connection.answer()
                #expect(
                    answer == nil || [400, 404, 405, 501].contains(answer?.status ?? 0),
                    "\(method): \(answer?.status ?? 0)")
            }
            #expect(try door.answersOthers())
        }

        @Test("HEAD has no body, so that the next answer on its connection is read as it is")
        func headHasNoBody() throws {
            let connection = try door.connect()
            try connection.send(TestDoor.request("HEAD", HostileHTTPTests.document))
            #expect(try connection.answer(hasBody: false)?.status == 405)
            try connection.send(TestDoor.request("GET", HostileHTTPTests.document))
            #expect(try connection.answer()?.status == 200)
        }

        @Test(
            "paths are decoded once and compared as bytes",
            arguments: [
                "/api/v1/%6fpenapi.json": 200, "/api/v1/openapi%2ejson": 200, "/api/v1/%256fpenapi.json": 404,
                "/api/v1/%2e%2e/v1/openapi.json": 404, "/api/v1/../v1/openapi.json": 404, "//api/v1/openapi.json": 404,
                "/api/v1/openapi.json/": 404, "/api/v1//openapi.json": 404, "/api%2fv1/openapi.json": 404,
                "/api/v1/openapi.json%00": 404, "/api/v1/%zz": 404, "/api/v1/%": 404, "/api/v1/%c0%ae": 404,
                "/api/v1/users/%2e%2e%2fme/public-key": 404, "/API/v1/openapi.json": 404, "/api/v1/%f0%9f%8f%83": 404,
                "/api/v1/accounts/sign-in": 405, "/api/v1/accounts/%2fsign-in": 404, "/api/v1/openapi.json?x=%zz": 200,
                "/": 404, "*": 404, "/ws%2f": 404,
            ])
        func paths(path: String, status: Int) throws {
            let answer = try door.ask("GET", path)
            #expect(answer.status == status)
        }

        @Test("an absolute-form target, one in UTF-8, and many levels are a clear status")
        func targets() throws {
            for target in [
                "http://door.example\(HostileHTTPTests.document)", "http://other.example/", "/api/v1/läuft",
                "/" + Array(repeating: "a", count: 3000).joined(separator: "/"),
                "/api/v1/?" + String(repeating: "a=b&", count: 3000),
            ] {
                let connection = try door.connect()
                try connection.send(TestDoor.request("GET", target))
                let answer = try connection.answer()
                #expect(answer == nil || [200, 400, 404, 414].contains(answer?.status ?? 0), "\(target.prefix(30))")
            }
            #expect(try door.answersOthers())
        }
    }
}
