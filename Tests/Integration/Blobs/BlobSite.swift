import Foundation
import HTTPDoubles
import MQTTWire
import OpenSSL
import ParleyProtocol
import TestSupport
import Testing

/// Where the doors of a test keep blobs.
enum BlobPlace: String, Sendable, CaseIterable {
    case disk
    /// A service in this process.
    case objects
    /// What `PARLEY_S3` names: a service that takes any credentials, with a bucket `blobs`; see scripts/test-blobs.sh.
    case service

    static let serviceURL = ProcessInfo.processInfo.environment["PARLEY_S3"]
}

/// A gateway whose doors keep blobs in one place, and two people who talk.
final class BlobSite {
    let gateway: TestGateway
    let alice: DeviceClient
    let bob: DeviceClient
    let conversation: String
    let storage: BlobStorage

    init(_ place: BlobPlace = .disk, settings: JSON = TestGateway.roomy) throws {
        gateway = try TestGateway(settings: settings)
        (alice, bob, conversation) = try gateway.pair()
        storage = try BlobStorage(place, in: gateway.directory)
    }

    /// For a gateway that a test runs itself.
    init(_ gateway: TestGateway) throws {
        self.gateway = gateway
        (alice, bob, conversation) = try gateway.pair()
        storage = try BlobStorage(.disk, in: gateway.directory)
    }

    func door(_ name: String? = nil) throws -> TestDoor {
        let credentials = try gateway.directory(of: .webDoor) + "/credentials.json"
        let own = ["--accounts", credentials, "--accounts-socket", gateway.brokerSocket, "--blobs-reserve", "0"]
        return try TestDoor(gateway, own + storage.options, name: name)
    }

    /// Uploads a file and sends a message that names it.
    ///
    /// - Returns: the file, and the message's id.
    func share(
        _ file: SealedFile, at door: TestDoor, by sender: DeviceClient? = nil, in conversation: String? = nil,
        _ changes: JSON = [:]
    ) throws -> JSON {
        let (sender, conversation) = (sender ?? alice, conversation ?? self.conversation)
        try #require(try door.create(file, in: conversation, as: sender).status == 201)
        try #require(try door.append(file, at: 0, as: sender).status == 204)
        let sent = message(conversation, JSON.object(["blobs": [.string(file.id)]]).with(changes))
        try sender.accepted("messages/send", sent)
        return sent["id"]
    }
}

/// The place itself.
final class BlobStorage {
    let options: [String]
    /// The names of all that is stored: files or objects.
    let names: () throws -> [String]
    /// The service in this process, where there is one.
    let double: ObjectStorageDouble?
    /// Stands before a service.
    let proxy: ServiceProxy?

    init(_ place: BlobPlace, in directory: String) throws {
        let prefix = "doors-\(UInt64.random(in: 0 ... .max))"
        switch place {
        case .disk:
            let path = "\(directory)/\(prefix)"
            (options, double, proxy) = (["--blobs", path], nil, nil)
            names = {
                let manager = FileManager.default
                return try manager.subpathsOfDirectory(atPath: path).filter { name in
                    let type = try? manager.attributesOfItem(atPath: "\(path)/\(name)")[.type]
                    return type as? FileAttributeType == .typeRegular
                }
            }
        case .objects:
            let double = try ObjectStorageDouble()
            let proxy = try ServiceProxy(to: UInt16(double.port))
            (self.double, self.proxy) = (double, proxy)
            options = try BlobStorage.options(proxy.port, prefix, directory)
            names = { double.names.filter { $0.hasPrefix("\(prefix)/") }.sorted() }
        case .service:
            let url = try #require(BlobPlace.serviceURL.flatMap { URL(string: $0) })
            let port = UInt16(try #require(url.port))
            let proxy = try ServiceProxy(to: port)
            (double, self.proxy) = (nil, proxy)
            options = try BlobStorage.options(proxy.port, prefix, directory)
            names = {
                let connection = try HTTPConnection(toLoopbackPort: port)
                try connection.send(
                    "GET /blobs?list-type=2&prefix=\(prefix)%2F HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
                let body = try #require(try connection.answer()).body
                return String(decoding: body, as: UTF8.self).matches(of: /<Key>([^<]*)<\/Key>/).map { String($0.1) }
            }
        }
    }

    private static func options(_ port: Int, _ prefix: String, _ directory: String) throws -> [String] {
        let credentials = "\(directory)/\(prefix).credentials"
        _ = FileManager.default.createFile(
            atPath: credentials, contents: Data("access_key_id = key\nsecret_access_key = secret\n".utf8),
            attributes: [.posixPermissions: 0o600])
        return [
            "--blobs", "s3://blobs/\(prefix)", "--s3-endpoint", "http://127.0.0.1:\(port)", "--s3-credentials",
            credentials,
        ]
    }

    /// Returns when nothing is stored any more.
    func awaitEmpty() throws { try eventually("an empty storage") { try names().isEmpty ? () : nil } }
}

/// A file as a device has sealed it.
struct SealedFile {
    let id = newID()
    let bytes: [UInt8]
    private let digest: [UInt8]

    init(_ count: Int) throws {
        let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let bytes = Array(try #require(try random.read(upToCount: count)))
        var hash = try SHA256.begin()
        try hash.update(bytes.span)
        digest = try hash.finish()
        self.bytes = bytes
    }

    var path: String { "/api/v1/blobs/\(id)" }

    func metadata(_ conversation: String) -> String {
        "id \(base64(Array(id.utf8))),conversation_id \(base64(Array(conversation.utf8))),digest \(base64(digest))"
    }
}

// MARK: tus

extension TestDoor {
    private static let tus = "Tus-Resumable: 1.0.0"

    func create(
        _ file: SealedFile, in conversation: String, as client: DeviceClient
    ) throws -> HTTPConnection.Answer {
        try exchange(
            "POST", "/api/v1/blobs", as: client,
            [Self.tus, "Upload-Length: \(file.bytes.count)", "Upload-Metadata: \(file.metadata(conversation))"])
    }

    /// Where the upload stands; `nil` where there is none.
    func offset(of file: SealedFile, as client: DeviceClient) throws -> Int? {
        try exchange("HEAD", file.path, as: client, [Self.tus])["upload-offset"].flatMap { Int($0) }
    }

    /// Sends what follows an offset, whole.
    func append(_ file: SealedFile, at offset: Int, as client: DeviceClient) throws -> HTTPConnection.Answer {
        let connection = try begin(file, at: offset, as: client)
        try connection.send(Array(file.bytes[offset...]))
        return try #require(try connection.answer())
    }

    /// Announces what follows an offset.
    func begin(_ file: SealedFile, at offset: Int, as client: DeviceClient) throws -> HTTPConnection {
        let connection = try connect()
        try connection.send(
            TestDoor.request(
                "PATCH", file.path, token: client.credentials.password,
                [
                    Self.tus, "Content-Type: application/offset+octet-stream", "Upload-Offset: \(offset)",
                    "Content-Length: \(file.bytes.count - offset)",
                ]))
        return connection
    }

    func download(
        _ file: SealedFile, as client: DeviceClient, _ fields: String...
    ) throws -> HTTPConnection.Answer {
        try exchange("GET", file.path, as: client, fields)
    }

    func terminate(_ file: SealedFile, as client: DeviceClient) throws -> Int {
        try exchange("DELETE", file.path, as: client, [Self.tus]).status
    }

    private func exchange(
        _ method: String, _ path: String, as client: DeviceClient, _ fields: [String]
    ) throws -> HTTPConnection.Answer {
        let connection = try connect()
        try connection.send(TestDoor.request(method, path, token: client.credentials.password, fields))
        return try #require(try connection.answer(hasBody: method != "HEAD"))
    }
}
