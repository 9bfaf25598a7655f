import Foundation
import MQTTWire
import ParleyProtocol
import TestSupport
import Testing
import Zlib

@testable import ParleyWeb

/// The page over real sockets, and its folder.
@Suite("The page at the door", .ownThreads)
struct PageDoorTests {
    /// A folder with these files.
    private static func folder(_ files: [String: String]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (path, content) in files {
            let file = URL(filePath: directory.path).appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        return directory
    }

    private static let files = ["index.html": "<!doctype html>", "main.js": "start()", "views/chat.css": "a{}"]

    private static func withPage(_ body: (_ port: UInt16) async throws -> Void) async throws {
        let directory = try folder(files)
        try await DoorSample.withDoor(DoorLimits(), page: try PageFiles(directory: directory.path), body)
    }

    private static func ask(
        _ port: UInt16, _ method: String, _ path: String, _ fields: [String] = []
    ) throws -> HTTPConnection.Answer {
        let connection = try HTTPConnection(toLoopbackPort: port)
        let lines = ["\(method) \(path) HTTP/1.1", "Host: door.example"] + fields
        try connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try #require(try connection.answer(hasBody: method != "HEAD"))
    }

    @Test("files have their types, and the page's own paths are its index")
    func serves() async throws {
        try await Self.withPage { port in
            let cases = [
                ("/", "text/html; charset=utf-8", "<!doctype html>"),
                ("/?a=b", "text/html; charset=utf-8", "<!doctype html>"),
                ("/board/00000000-0000-4000-8000-000000000000", "text/html; charset=utf-8", "<!doctype html>"),
                ("/main.js", "text/javascript; charset=utf-8", "start()"),
                ("/views/chat.css", "text/css; charset=utf-8", "a{}"),
            ]
            for (path, type, content) in cases {
                let answer = try Self.ask(port, "GET", path)
                #expect(answer.status == 200 && answer["content-type"] == type, "\(path)")
                #expect(answer.body == Array(content.utf8) && answer["cache-control"] == "no-cache", "\(path)")
                let head = try Self.ask(port, "HEAD", path)
                #expect(head.status == 200 && head["content-length"] == "\(content.utf8.count)", "\(path)")
            }
        }
    }

    @Test("a browser is told what the page may do")
    func policies() async throws {
        try await Self.withPage { port in
            for path in ["/", "/main.js"] {
                let answer = try Self.ask(port, "GET", path)
                let policy = try #require(answer["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; "))
                #expect(policy.contains("require-trusted-types-for 'script'") && !policy.contains("unsafe"))
                #expect(answer["x-content-type-options"] == "nosniff" && answer["referrer-policy"] == "no-referrer")
                #expect(answer["cross-origin-opener-policy"] == "same-origin")
                #expect(answer["permissions-policy"] == "microphone=(self), camera=(), geolocation=()")
            }
        }
    }

    @Test("a file that the browser has is not sent again")
    func revalidates() async throws {
        try await Self.withPage { port in
            let tag = try #require(try Self.ask(port, "GET", "/main.js")["etag"])
            let same = try Self.ask(port, "GET", "/main.js", ["If-None-Match: \(tag)"])
            #expect(same.status == 304 && same.body.isEmpty && same["etag"] == tag)
            #expect(try Self.ask(port, "GET", "/", ["If-None-Match: \(tag)"]).status == 200)
        }
    }

    @Test("who takes gzip gets it where it is shorter, with a tag of its own")
    func compresses() async throws {
        let text = String(repeating: "export const answer = 42;\n", count: 200)
        let directory = try Self.folder(["index.html": "<", "long.js": text])
        try await DoorSample.withDoor(DoorLimits(), page: try PageFiles(directory: directory.path)) { port in
            let plain = try Self.ask(port, "GET", "/long.js")
            #expect(plain.body == Array(text.utf8) && plain["content-encoding"] == nil)
            for accepted in ["gzip", "br, GZIP;q=0.5", "deflate, x-gzip ; q=1"] {
                let answer = try Self.ask(port, "GET", "/long.js", ["Accept-Encoding: \(accepted)"])
                #expect(answer["content-encoding"] == "gzip" && answer["vary"] == "Accept-Encoding", "\(accepted)")
                #expect(answer.body.count < 200 && answer.body == Gzip.compress(plain.body), "\(accepted)")
                #expect(answer["content-length"] == "\(answer.body.count)" && answer["etag"] != plain["etag"])
                let tag = try #require(answer["etag"])
                let again = ["Accept-Encoding: \(accepted)", "If-None-Match: \(tag)"]
                #expect(try Self.ask(port, "GET", "/long.js", again).status == 304, "\(accepted)")
                #expect(try Self.ask(port, "GET", "/long.js", ["If-None-Match: \(tag)"]).status == 200)
            }
            for refused in ["br", "gzip;q=0", "gzip; q=0.000", "*", "gzipped", ";q=1", ""] {
                let answer = try Self.ask(port, "GET", "/long.js", ["Accept-Encoding: \(refused)"])
                #expect(answer.body == plain.body && answer["content-encoding"] == nil, "\(refused)")
            }
            let short = try Self.ask(port, "GET", "/", ["Accept-Encoding: gzip"])
            #expect(short.body == Array("<".utf8) && short["content-encoding"] == nil)
        }
    }

    @Test("nothing else is at the page's paths, and no path leads out of its folder")
    func unknown() async throws {
        try await Self.withPage { port in
            let paths = [
                "/missing.js", "/views", "/views/", "/board/", "/board/a/b", "/../Package.swift",
                "/%2e%2e/Package.swift",
                "/views/../main.js", "//main.js", "/main.js/", "/MAIN.JS",
            ]
            for path in paths { #expect(try Self.ask(port, "GET", path).status == 404, "\(path)") }
            for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
                let answer = try Self.ask(port, method, "/main.js")
                #expect(answer.status == 405 && answer["allow"] == "GET, HEAD", "\(method)")
            }
            #expect(try Self.ask(port, "GET", "/api/v1/conversations").status == 401)
            #expect(try Self.ask(port, "GET", "/", ["Origin: https://other.example"]).status == 403)
        }
    }

    @Test("a door without a page has nothing at /")
    func none() async throws {
        try await DoorSample.withDoor(DoorLimits()) { port in
            let answer = try Self.ask(port, "GET", "/")
            #expect(answer.status == 404)
        }
    }

    @Test("a folder that is no page is refused")
    func refuses() throws {
        let index = ["index.html": ""]
        let cases: [([String: String], PageError)] = [
            (["main.js": ""], .noIndex), (index.merging(["a.exe": ""]) { $1 }, .name(path: "/a.exe")),
            (index.merging([".hidden.js": ""]) { $1 }, .name(path: "/.hidden.js")),
            (index.merging(["A.js": ""]) { $1 }, .name(path: "/A.js")),
            (index.merging(["api/v1.js": ""]) { $1 }, .name(path: "/api")),
            (index.merging(["a b.js": ""]) { $1 }, .name(path: "/a b.js")),
            (index.merging(["big.js": String(repeating: "x", count: PageFiles.mostBytes + 1)]) { $1 }, .tooLarge),
            (
                Dictionary((0...PageFiles.mostFiles).map { ("\($0).js", "") }) { $1 }.merging(index) { $1 },
                .tooManyFiles
            ),
        ]
        for (files, error) in cases {
            let directory = try Self.folder(files)
            #expect(throws: error) { try PageFiles(directory: directory.path) }
        }
        #expect(throws: PageError.self) { try PageFiles(directory: "/nowhere") }
    }
}
