import Foundation
import HTTPDoubles
import MQTTWire
import ParleyProtocol
import Platform
import TestSupport
import Testing

/// What holds where two doors keep blobs in one place, wherever that is.
enum SharedBlobScenario: Sendable, CaseIterable, CustomTestStringConvertible {
    case killed, removed, collected, outage

    var testDescription: String {
        switch self {
        case .killed: "an upload goes on at another door when its own is killed, and comes down equal from any"
        case .removed: "what is removed at one door is not there at the other"
        case .collected: "the bytes of what is gone are removed once, whichever door hears of it"
        case .outage: "while the service is away the answer is 503, and uploads go on afterwards"
        }
    }

    func run(on place: BlobPlace) throws {
        let site = try BlobSite(place)
        switch self {
        case .killed: try Self.kill(site)
        case .removed: try Self.remove(site)
        case .collected: try Self.collect(site)
        case .outage: try Self.outage(site)
        }
    }

    private static func kill(_ site: BlobSite) throws {
        var (one, two) = (try site.door("one"), try site.door("two"))
        let file = try SealedFile(21 << 20)
        try #require(try one.create(file, in: site.conversation, as: site.alice).status == 201)
        var offset = 0
        // In the midst of a request at either, in turn.
        for step in [9 << 20, 5 << 20] {
            let upload = try one.begin(file, at: offset, as: site.alice)
            try upload.send(Array(file.bytes[offset..<(offset + step)]))
            let before = offset
            offset = try eventually("a part of it") { () -> Int? in
                let offset = try two.offset(of: file, as: site.alice)
                return offset.flatMap { $0 > before ? $0 : nil }
            }
            #expect(try two.download(file, as: site.alice).status == 404)
            one.end(with: SIGKILL)
            offset = try #require(try two.offset(of: file, as: site.alice))
            // The other is to be killed next.
            (one, two) = (two, try site.door(step == 9 << 20 ? "one" : "two"))
        }
        #expect(offset < file.bytes.count)
        let last = try one.append(file, at: offset, as: site.alice)
        #expect(last.status == 204 && last["upload-offset"] == "\(file.bytes.count)")
        try site.alice.accepted("messages/send", message(site.conversation, ["blobs": [.string(file.id)]]))
        for door in [one, two] {
            #expect(try door.offset(of: file, as: site.alice) == file.bytes.count)
            #expect(try door.download(file, as: site.bob).body == file.bytes)
            for range in [0..<1, 8_388_600..<8_388_620, 16_777_215..<16_777_217, 20_000_000..<file.bytes.count] {
                let field = "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"
                let part = try door.download(file, as: site.bob, field)
                #expect(part.status == 206 && part.body == Array(file.bytes[range]), "\(range)")
            }
            let end = try door.download(file, as: site.bob, "Range: bytes=-7")
            #expect(end.status == 206 && end.body == Array(file.bytes.suffix(7)))
            #expect(try door.download(file, as: site.bob, "Range: bytes=\(file.bytes.count)-").status == 416)
        }
        // What the upload was made of is gone.
        #expect(try site.storage.names().count == 1)
    }

    private static func remove(_ site: BlobSite) throws {
        let (one, two) = (try site.door("one"), try site.door("two"))
        let (whole, partial) = (try SealedFile(100_000), try SealedFile(10 << 20))
        for file in [whole, partial] {
            try #require(try one.create(file, in: site.conversation, as: site.alice).status == 201)
        }
        #expect(try one.append(whole, at: 0, as: site.alice).status == 204)
        #expect(try two.download(whole, as: site.alice).body == whole.bytes)
        let upload = try one.begin(partial, at: 0, as: site.alice)
        try upload.send(Array(partial.bytes[..<(9 << 20)]))
        try eventually("a part of it") { try two.offset(of: partial, as: site.alice) ?? 0 > 0 ? () : nil }
        for file in [whole, partial] {
            #expect(try two.terminate(file, as: site.alice) == 204)
            for door in [one, two] {
                #expect(try door.download(file, as: site.alice).status == 404)
                #expect(try door.offset(of: file, as: site.alice) == nil)
                #expect(try door.append(file, at: 0, as: site.alice).status == 404)
            }
        }
        upload.close()
    }

    private static func collect(_ site: BlobSite) throws {
        let doors = [try site.door("one"), try site.door("two")]
        let files = try (0..<4).map { try SealedFile(100_000 + $0) }
        var sent: [JSON] = []
        for (number, file) in files.enumerated() { sent.append(try site.share(file, at: doors[number % 2])) }
        #expect(try doors.allSatisfy { try $0.download(files[0], as: site.bob).body == files[0].bytes })
        #expect(try site.storage.names().count == 4)
        for id in sent { try site.alice.accepted("messages/delete", change(of: id, in: site.conversation, "delete")) }
        for file in files {
            for door in doors { #expect(try door.download(file, as: site.bob).status == 404) }
        }
        try site.storage.awaitEmpty()
        for door in doors {
            #expect(door.isRunning && !door.log.contains("error"), "\(door.log)")
        }
    }

    private static func outage(_ site: BlobSite) throws {
        guard let proxy = site.storage.proxy else { return }
        let door = try site.door()
        let (whole, partial, late) = (try SealedFile(100_000), try SealedFile(10 << 20), try SealedFile(1000))
        try #require(try door.create(whole, in: site.conversation, as: site.alice).status == 201)
        #expect(try door.append(whole, at: 0, as: site.alice).status == 204)
        try #require(try door.create(partial, in: site.conversation, as: site.alice).status == 201)
        let upload = try door.begin(partial, at: 0, as: site.alice)
        try upload.send(Array(partial.bytes[..<(9 << 20)]))
        let offset = try eventually("a part of it") { () -> Int? in
            try door.offset(of: partial, as: site.alice).flatMap { $0 > 0 ? $0 : nil }
        }
        proxy.setAway(true)
        try upload.send(Array(partial.bytes[(9 << 20)...]))
        let refused = try #require(try upload.answer())
        #expect(refused.status == 503 && refused["retry-after"] != nil)
        #expect(try door.download(whole, as: site.alice).status == 503)
        #expect(try door.create(late, in: site.conversation, as: site.alice).status == 503)
        #expect(try door.answersOthers())
        #expect(door.log.components(separatedBy: "takes and gives no blobs").count == 2)
        proxy.setAway(false)
        #expect(try door.offset(of: partial, as: site.alice) == offset)
        #expect(try door.append(partial, at: offset, as: site.alice).status == 204)
        #expect(try door.download(partial, as: site.alice).body == partial.bytes)
        #expect(try door.download(whole, as: site.alice).body == whole.bytes)
        #expect(try door.create(late, in: site.conversation, as: site.alice).status == 201)
        #expect(try door.append(late, at: 0, as: site.alice).status == 204)
    }
}

@Suite("Blobs that doors share", .ownThreads)
struct SharedBlobTests {
    @Test("two doors, one place", arguments: SharedBlobScenario.allCases, [BlobPlace.disk, .objects])
    func shared(_ scenario: SharedBlobScenario, _ place: BlobPlace) throws { try scenario.run(on: place) }

    @Test(
        "two doors, one service",
        .enabled(if: BlobPlace.serviceURL != nil, "PARLEY_S3 names no service; scripts/test-blobs.sh has one"),
        arguments: SharedBlobScenario.allCases)
    func service(_ scenario: SharedBlobScenario) throws { try scenario.run(on: .service) }

    /// Those after which the door does not ask again for seconds; S3FaultTests has all.
    private static let failures: [(BucketDouble.Operation, ObjectStorageDouble.Fault)] = [
        (.completeUpload, .forgotten), (.copyPart, .otherTag), (.put, .answer(403)),
    ]

    @Test("a service that fails or lies completes no upload, and the client learns it")
    func faults() throws {
        let site = try BlobSite(.objects)
        let door = try site.door()
        let double = try #require(site.storage.double)
        for (operation, fault) in Self.failures {
            let file = try SealedFile(9 << 20)
            try #require(try door.create(file, in: site.conversation, as: site.alice).status == 201)
            double.set(fault, on: operation)
            let answer = try door.append(file, at: 0, as: site.alice)
            #expect([423, 500, 503].contains(answer.status), "\(operation) \(fault): \(answer.status)")
            #expect(try door.download(file, as: site.alice).status == 404)
            double.set(nil, on: operation)
            let offset = try #require(try door.offset(of: file, as: site.alice))
            if offset < file.bytes.count {
                #expect(try door.append(file, at: offset, as: site.alice).status == 204)
            }
            #expect(try door.download(file, as: site.alice).body == file.bytes)
        }
        // A download that the service cuts short is cut off, and never has other bytes.
        let file = try SealedFile(3 << 20)
        try #require(try door.create(file, in: site.conversation, as: site.alice).status == 201)
        #expect(try door.append(file, at: 0, as: site.alice).status == 204)
        for fault in [ObjectStorageDouble.Fault.short, .brokenOff, .answer(500)] {
            double.set(fault, on: .get)
            let connection = try door.connect()
            try connection.send(TestDoor.request("GET", file.path, token: site.alice.credentials.password))
            try connection.awaitEnd()
            let body = connection.input.firstRange(of: "\r\n\r\n".utf8).map { connection.input[$0.upperBound...] } ?? []
            #expect(body.count < file.bytes.count && file.bytes.starts(with: body))
        }
        double.set(nil, on: .get)
        #expect(try door.download(file, as: site.alice).body == file.bytes)
    }
}
