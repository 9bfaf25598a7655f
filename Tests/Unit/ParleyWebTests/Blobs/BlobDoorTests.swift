import MQTTWire
import NIOConcurrencyHelpers
import NIOCore
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyWeb

/// Uploads and downloads over real sockets.
@Suite("Blobs at the door", .ownThreads)
struct BlobDoorTests {
    @Test("what went up comes down, whole and in parts")
    func upAndDown() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(700_000)
            let blob = try BlobSample.blob(bytes)
            let created = try site.create(blob)
            #expect(created.status == 201 && created["location"] == site.path(blob))
            #expect(created["upload-expires"] == "Sun, 06 Nov 1994 08:49:37 GMT")
            #expect(created["tus-resumable"] == "1.0.0")
            #expect(try site.ask("GET", site.path(blob)).status == 404)
            let appended = try site.append(blob, bytes, at: 0)
            #expect(appended.status == 204 && appended["upload-offset"] == "700000")
            let whole = try site.ask("GET", site.path(blob))
            #expect(whole.status == 200 && whole.body == bytes)
            #expect(whole["content-type"] == "application/octet-stream" && whole["accept-ranges"] == "bytes")
            #expect(whole["content-disposition"] == "attachment" && whole["x-content-type-options"] == "nosniff")
            #expect(whole["cache-control"] == "private, no-transform, max-age=0")
            #expect(whole["repr-digest"] == "sha-256=:\(BlobSample.base64(blob.digest.bytes)):")
            let part = try site.ask("GET", site.path(blob), ["Range: bytes=1000-600000"])
            #expect(part.status == 206 && part.body == Array(bytes[1000...600_000]))
            #expect(part["content-range"] == "bytes 1000-600000/700000")
            let head = try site.ask("HEAD", site.path(blob), ["Range: bytes=0-1"])
            #expect(head.status == 200 && head["content-length"] == "700000" && head["etag"] == whole["etag"])
        }
    }

    @Test("conditions and unsatisfiable ranges")
    func conditions() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(100)
            let blob = try site.uploaded(bytes)
            let tag = try #require(try site.ask("HEAD", site.path(blob))["etag"])
            let same = try site.ask("GET", site.path(blob), ["If-None-Match: \(tag)"])
            #expect(same.status == 304 && same["etag"] == tag && same.body.isEmpty)
            let behind = try site.ask("GET", site.path(blob), ["Range: bytes=100-"])
            #expect(behind.status == 416 && behind["content-range"] == "bytes */100")
            let own = try site.ask("GET", site.path(blob), ["Range: bytes=0-0", "If-Range: \(tag)"])
            #expect(own.status == 206 && own.body == [bytes[0]])
            let other = try site.ask("GET", site.path(blob), ["Range: bytes=0-0", "If-Range: \"x\""])
            #expect(other.status == 200 && other.body == bytes)
            let two = try site.ask("GET", site.path(blob), ["Range: bytes=0-0", "Range: bytes=5-6"])
            #expect(two.status == 200 && two.body == bytes)
        }
    }

    @Test("an upload that is cut off again and again, and a download likewise, are equal to the byte")
    func interrupted() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(3_000_000)
            let blob = try BlobSample.blob(bytes)
            #expect(try site.create(blob).status == 201)
            var offset = 0
            for cut in 1...50 {
                let connection = try site.connect()
                let rest = bytes[offset...]
                try connection.send(
                    BlobSite.head(
                        "PATCH", site.path(blob), BlobSite.patch(at: offset) + ["Content-Length: \(rest.count)"]))
                try connection.send(Array(rest.prefix(cut * 997)))
                connection.close()
                // The door may find the end of the connection a moment later.
                try await waiting(for: "the end of the upload") {
                    let head = try site.ask("HEAD", site.path(blob), [BlobSite.tus])
                    guard let now = head["upload-offset"].flatMap({ Int($0) }), now > offset else {
                        return false
                    }
                    let probe = try site.append(blob, [bytes[now]], at: now)
                    guard probe.status == 204 else { return false }
                    offset = now + 1
                    return true
                }
                #expect(offset <= bytes.count)
            }
            #expect(try site.append(blob, Array(bytes[offset...]), at: offset).status == 204)
            var got: [UInt8] = []
            for part in 1...50 {
                let connection = try site.connect()
                try connection.send(BlobSite.head("GET", site.path(blob), ["Range: bytes=\(got.count)-"]))
                _ = try connection.until("some bytes") { $0.input.count > part * 1000 ? () : nil }
                let input = connection.input
                let end = try #require(input.firstRange(of: "\r\n\r\n".utf8)?.upperBound)
                got += input[end...]
                connection.close()
                if got.count >= bytes.count { break }
            }
            if got.count < bytes.count {
                got += try site.ask("GET", site.path(blob), ["Range: bytes=\(got.count)-"]).body
            }
            #expect(got == bytes)
        }
    }

    @Test("a second writer is refused while one writes, and the first is not disturbed")
    func locked() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(2000)
            let blob = try BlobSample.blob(bytes)
            #expect(try site.create(blob).status == 201)
            let first = try site.connect()
            try first.send(
                BlobSite.head(
                    "PATCH", site.path(blob), BlobSite.patch(at: 0) + ["Content-Length: 2000", "Expect: 100-continue"]))
            #expect(try first.answer(hasBody: false)?.status == 100)
            let second = try site.append(blob, bytes, at: 0)
            #expect(second.status == 423)
            try first.send(bytes)
            #expect(try first.answer()?.status == 204)
            #expect(try site.ask("GET", site.path(blob)).body == bytes)
            // A repeat of what had brought the last byte.
            #expect(try site.append(blob, [], at: 2000).status == 204)
            #expect(try site.append(blob, bytes, at: 0).status == 409)
            #expect(try site.create(blob).status == 201)
            #expect(try site.offset(blob) == 2000)
        }
    }

    @Test("lies about length, offset and digest are refused, and nothing of them is kept")
    func lies() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(5000)
            let blob = try BlobSample.blob(bytes)
            #expect(try site.create(blob).status == 201)
            #expect(try site.append(blob, bytes, at: 1).status == 413)
            #expect(try site.append(blob, bytes + [0], at: 0).status == 413)
            #expect(try site.append(blob, [1], at: 5).status == 409)
            #expect(try site.append(blob, [1], at: 6000).status == 413)
            let chunked = try site.connect()
            try chunked.send(
                BlobSite.head("PATCH", site.path(blob), BlobSite.patch(at: 0) + ["Transfer-Encoding: chunked"]))
            for _ in 0..<6 { try chunked.send(Array("3e8\r\n".utf8) + bytes[..<1000] + Array("\r\n".utf8)) }
            #expect(try chunked.answer()?.status == 413)
            #expect(try site.offset(blob) == 5000 || site.offset(blob) == 0)
            let other = try BlobSample.blob(bytes)
            #expect(try site.create(other).status == 201)
            let wrong = try site.append(other, BlobSample.bytes(5000, seed: 9), at: 0)
            #expect(wrong.status == 422)
            #expect(try site.offset(other) == 0)
            #expect(try site.append(other, bytes, at: 0).status == 204)
        }
    }

    @Test("blobs of others do not exist for whom the gateway does not let, at each request anew")
    func strangers() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(100)
            let blob = try site.uploaded(bytes)
            let unknown = try BlobSample.blob(bytes)
            for (method, fields) in [("GET", []), ("HEAD", []), ("HEAD", [BlobSite.tus]), ("DELETE", [BlobSite.tus])] {
                let foreign = try site.ask(method, site.path(blob), as: "bob", fields)
                let missing = try site.ask(method, site.path(unknown), as: "bob", fields)
                #expect(foreign.status == 404 && missing.status == 404 && foreign.body == missing.body, "\(method)")
                #expect(try site.ask(method, site.path(blob), as: nil, fields).status == 401)
            }
            #expect(try site.append(blob, [1], at: 0, as: "bob").status == 404)
            site.authority.state.withLockedValue { $0.readers[blob.id] = [UserID(validated: "bob")] }
            #expect(try site.ask("GET", site.path(blob), as: "bob").body == bytes)
            #expect(try site.ask("DELETE", site.path(blob), as: "bob", [BlobSite.tus]).status == 404)
            site.authority.state.withLockedValue { $0.readers[blob.id] = [] }
            #expect(try site.ask("GET", site.path(blob), as: "bob").status == 404)
            // A reader of a blob that is not complete sees no upload.
            let partial = try BlobSample.blob(bytes)
            #expect(try site.create(partial).status == 201)
            site.authority.state.withLockedValue { $0.readers[partial.id] = [UserID(validated: "bob")] }
            #expect(try site.append(partial, bytes, at: 0, as: "bob").status == 404)
            #expect(try site.ask("GET", site.path(partial), as: "bob").status == 404)
            #expect(try site.create(partial, as: "bob").status == 409)
        }
    }

    @Test("termination removes an upload and a blob")
    func termination() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(100)
            let (whole, partial) = (try site.uploaded(bytes), try BlobSample.blob(bytes))
            #expect(try site.create(partial).status == 201)
            for blob in [whole, partial] {
                #expect(try site.ask("DELETE", site.path(blob)).status == 412)
                #expect(try site.ask("DELETE", site.path(blob), [BlobSite.tus]).status == 204)
                #expect(try site.ask("GET", site.path(blob)).status == 404)
                #expect(try site.ask("HEAD", site.path(blob), [BlobSite.tus]).status == 404)
            }
        }
    }

    @Test("methods, versions, types and malformed fields have a status each")
    func malformed() async throws {
        try await BlobSite.with { site in
            let bytes = BlobSample.bytes(100)
            let blob = try BlobSample.blob(bytes)
            #expect(try site.create(blob).status == 201)
            let path = site.path(blob)
            for (method, path, allow) in [
                ("GET", "/api/v1/blobs", "OPTIONS, POST"), ("PUT", path, "DELETE, GET, HEAD, OPTIONS, PATCH"),
                ("POST", path, "DELETE, GET, HEAD, OPTIONS, PATCH"),
            ] {
                let answer = try site.ask(method, path)
                #expect(answer.status == 405 && answer["allow"] == allow, "\(method) \(path)")
            }
            let version = try site.ask("PATCH", path, [BlobSite.stream, "Upload-Offset: 0"], bytes)
            #expect(version.status == 412 && version["tus-version"] == "1.0.0")
            #expect(try site.ask("PATCH", path, [BlobSite.tus, "Upload-Offset: 0"], bytes).status == 415)
            for offset in ["-1", "0x0", "", "1e1", "0, 0", "99999999999999999999"] {
                let fields = [BlobSite.tus, BlobSite.stream, "Upload-Offset: \(offset)"]
                #expect(try site.ask("PATCH", path, fields, bytes).status == 400, "\(offset)")
            }
            for path in [
                "/api/v1/blobs/../\(blob.id)", "/api/v1/blobs/%2e%2e%2f\(blob.id)", "/api/v1/blobs/\(blob.id)/x",
                "/api/v1/blobs/\("\(blob.id)".uppercased())", "/api/v1/blobs//etc/passwd", "/api/v1/blobs/",
            ] { #expect(try site.ask("GET", path).status == 404, "\(path)") }
            // An operation like all others: here the broker does not answer.
            #expect(try site.ask("POST", "/api/v1/blobs/get", [], Array(#"{"id":"\#(blob.id)"}"#.utf8)).status == 503)
            #expect(try site.ask("POST", "/api/v1/blobs/collect", [], Array("{}".utf8)).status == 404)
        }
    }

    @Test("pages of allowed origins may use and read it, others may not")
    func origins() async throws {
        try await BlobSite.with { site in
            let own = "Origin: https://app.example"
            let options = try site.ask(
                "OPTIONS", "/api/v1/blobs", as: nil, [own, "Access-Control-Request-Method: PATCH"])
            #expect(options.status == 204 && options["tus-version"] == "1.0.0")
            #expect(options["tus-extension"] == "creation,expiration,termination")
            #expect(options["access-control-allow-methods"]?.contains("PATCH") == true)
            #expect(options["access-control-allow-headers"]?.contains("Upload-Metadata") == true)
            let blob = try site.uploaded(BlobSample.bytes(100))
            let answer = try site.ask("GET", site.path(blob), [own])
            #expect(answer["access-control-allow-origin"] == "https://app.example")
            #expect(answer["access-control-expose-headers"]?.contains("Upload-Offset") == true)
            for origin in ["https://evil.example", "null"] {
                let answer = try site.ask("GET", site.path(blob), ["Origin: \(origin)"])
                #expect(answer.status == 403 && answer["access-control-allow-origin"] == nil)
            }
        }
    }

    @Test("too many transfers of one user are refused, those of others are not")
    func limits() async throws {
        try await BlobSite.with(DoorLimits()) {
            $0.uploads = TransferLimit(perUser: 1, inAll: 2)
        } _: { site in
            let bytes = BlobSample.bytes(1000)
            let waiting = try site.connect()
            let (one, two) = (try BlobSample.blob(bytes), try BlobSample.blob(bytes))
            for blob in [one, two] { #expect(try site.create(blob).status == 201) }
            let fields = ["Content-Length: 1000", "Expect: 100-continue"]
            try waiting.send(BlobSite.head("PATCH", site.path(one), BlobSite.patch(at: 0) + fields))
            #expect(try waiting.answer(hasBody: false)?.status == 100)
            let refused = try site.append(two, bytes, at: 0)
            #expect(refused.status == 429 && refused["retry-after"] != nil)
            // Who may not upload takes nobody's place.
            #expect(try site.append(try BlobSample.blob(bytes), bytes, at: 0).status == 404)
            _ = try site.uploaded(bytes, as: "bob")
            try waiting.send(bytes)
            #expect(try waiting.answer()?.status == 204)
            #expect(try site.append(two, bytes, at: 0).status == 204)
        }
    }

    @Test("a sender that stops is let go, and another connection goes on where it was")
    func stalled() async throws {
        var limits = DoorLimits()
        limits.transfer = .milliseconds(300)
        try await BlobSite.with(limits) { site in
            let bytes = BlobSample.bytes(200_000)
            let blob = try BlobSample.blob(bytes)
            #expect(try site.create(blob).status == 201)
            let half = bytes.count / 2
            var offset = 0
            // A test that gets no time to send is let go as well, with fewer bytes; it sends the others then.
            try eventually("what was sent before the stop") {
                let slow = try site.connect()
                let fields = BlobSite.patch(at: offset) + ["Content-Length: \(bytes.count - offset)"]
                try slow.send(BlobSite.head("PATCH", site.path(blob), fields))
                try slow.send(Array(bytes[offset..<half]))
                try slow.awaitEnd()
                let now = try #require(try site.offset(blob))
                try #require((offset...half).contains(now), "what was written stays, and no more than was sent")
                offset = now
                return offset == half ? () : nil
            }
            try eventually("the rest") {
                offset = try #require(try site.offset(blob))
                return try site.append(blob, Array(bytes[offset...]), at: offset).status == 204 ? () : nil
            }
            #expect(try site.offset(blob) == bytes.count)
        }
    }

    @Test("a reader that stops is let go")
    func stalledReader() async throws {
        var limits = DoorLimits()
        limits.transfer = .milliseconds(300)
        try await BlobSite.with(limits) { site in
            // More than the sockets' buffers have.
            let bytes = BlobSample.bytes(24_000_000)
            let blob = try site.uploaded(bytes)
            let slow = try site.connect()
            try slow.send(BlobSite.head("GET", site.path(blob)))
            _ = try slow.until("the head") { $0.input.count > 100 ? () : nil }
            try await Task.sleep(for: .seconds(2))
            try slow.awaitEnd()
            #expect(slow.input.count < bytes.count)
        }
    }

    @Test("a member who is removed in the middle gets no more")
    func removedMeanwhile() async throws {
        try await BlobSite.with(DoorLimits()) {
            $0.confirmation = .nanoseconds(1)
        } _: { site in
            let bytes = BlobSample.bytes(24_000_000)
            let blob = try site.uploaded(bytes)
            site.authority.state.withLockedValue { $0.readers[blob.id] = [UserID(validated: "bob")] }
            let reader = try site.connect()
            try reader.send(BlobSite.head("GET", site.path(blob), as: "bob"))
            _ = try reader.until("the head") { $0.input.count > 100 ? () : nil }
            site.authority.state.withLockedValue { $0.readers[blob.id] = [] }
            try reader.awaitEnd()
            #expect(reader.input.count < bytes.count)
        }
    }

    @Test("without space an upload is refused with its own status")
    func full() async throws {
        try await BlobSite.with(DoorLimits()) {
            $0.reserve = .max / 2
        } _: { site in
            let answer = try site.create(try BlobSample.blob(BlobSample.bytes(100)))
            #expect(answer.status == 507 && answer["retry-after"] == "60")
        }
    }
}
