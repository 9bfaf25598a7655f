import HTTPTypes
import ParleyProtocol

/// tus 1.0.0, the protocol of resumable uploads (https://tus.io/protocols/resumable-upload), with the extensions
/// `creation`, `expiration` and `termination`.
enum Tus {
    static let version = "1.0.0"
    static let extensions = "creation,expiration,termination"
    static let contentType = "application/offset+octet-stream"

    static let resumable = name("Tus-Resumable")
    static let versions = name("Tus-Version")
    static let extensionNames = name("Tus-Extension")
    static let offset = name("Upload-Offset")
    static let length = name("Upload-Length")
    static let deferLength = name("Upload-Defer-Length")
    static let metadata = name("Upload-Metadata")
    static let expires = name("Upload-Expires")

    /// The fields that pages of other origins may send, and read (Fetch standard, CORS protocol).
    static let requestFields =
        "Authorization, Content-Type, If-None-Match, If-Range, Range, Tus-Resumable, Upload-Length, Upload-Metadata, "
        + "Upload-Offset"
    static let responseFields =
        "Accept-Ranges, Content-Length, Content-Range, ETag, Location, Repr-Digest, Retry-After, Tus-Extension, "
        + "Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Offset"

    private static func name(_ text: String) -> HTTPField.Name {
        // All are tokens of RFC 9110 §5.6.2.
        HTTPField.Name(text) ?? .accept
    }

    /// - Throws: 412 for a client of another version.
    static func checkVersion(_ fields: HTTPFields) throws(APIRefusal) {
        guard fields[resumable] == version else {
            throw APIRefusal(Rejection(.badRequest, "Tus-Resumable is not \(version)."), status: 412)
        }
    }

    /// A whole number of bytes, in decimal digits.
    static func count(_ field: HTTPField.Name, in fields: HTTPFields) throws(APIRefusal) -> Int {
        guard let text = fields[field], !text.isEmpty, text.utf8.count <= 19,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text)
        else { throw APIRefusal(Rejection(.badRequest, "\(field.canonicalName) is no number of bytes.")) }
        return number
    }

    /// The creation of an upload: the request of the gateway.
    static func creation(_ fields: HTTPFields) throws(APIRefusal) -> CreateBlob {
        guard fields[deferLength] == nil else {
            throw APIRefusal(Rejection(.badRequest, "Upload-Defer-Length: a length is needed at once."))
        }
        guard (fields[.contentLength] ?? "0") == "0", fields[.transferEncoding] == nil else {
            throw APIRefusal(Rejection(.badRequest, "The bytes come by PATCH."))
        }
        let size = try count(length, in: fields)
        guard Limits.blobBytes.contains(size) else {
            throw APIRefusal(Rejection(size < 17 ? .badRequest : .tooLarge, "Upload-Length is out of range."))
        }
        let metadata = try UploadMetadata(fields[metadata] ?? "")
        guard let id = metadata.text("id").flatMap({ BlobID($0) }) else { throw UploadMetadata.refusal("id") }
        guard let conversation = metadata.text("conversation_id").flatMap({ ConversationID($0) }) else {
            throw UploadMetadata.refusal("conversation_id")
        }
        guard let digest = metadata.digest else { throw UploadMetadata.refusal("digest") }
        return CreateBlob(id: id, conversation: conversation, size: size, digest: digest)
    }
}

/// `Upload-Metadata`: pairs of a key and a value in base64. Keys of other clients, such as a file's name, are ignored.
struct UploadMetadata: Hashable, Sendable {
    private let values: [String: [UInt8]]

    init(_ field: String) throws(APIRefusal) {
        var values: [String: [UInt8]] = [:]
        for pair in field.split(separator: ",") {
            let parts = pair.split(separator: " ", omittingEmptySubsequences: true)
            guard let key = parts.first else { continue }
            let text = Array((parts.count == 2 ? parts[1] : "").utf8)
            guard parts.count <= 2, let value = Base64.decode(text.span) else {
                throw APIRefusal(Rejection(.badRequest, "Upload-Metadata: a value is no base64."))
            }
            guard values.updateValue(value, forKey: String(key)) == nil else {
                throw APIRefusal(Rejection(.badRequest, "Upload-Metadata: a key comes twice."))
            }
        }
        self.values = values
    }

    func text(_ key: String) -> String? { values[key].map { String(decoding: $0, as: UTF8.self) } }

    /// 32 bytes, or their base64 from clients whose values are texts.
    var digest: BlobDigest? {
        guard let value = values["digest"] else { return nil }
        return BlobDigest(value) ?? Base64.decode(value.span).flatMap { BlobDigest($0) }
    }

    static func refusal(_ key: String) -> APIRefusal {
        APIRefusal(Rejection(.badRequest, "Upload-Metadata: \(key) is missing or not of its form."))
    }
}

/// A time in the form of HTTP (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ time: Timestamp) -> String {
        let time = max(time, Timestamp(milliseconds: 0))
        // 2026-01-15T09:30:00.000Z
        let text = Array(time.description.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
        let day = days[Int(time.milliseconds / 86_400_000 % 7)]
        let month = months[min(11, max(0, (Int(part(5..<7)) ?? 1) - 1))]
        return "\(day), \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) GMT"
    }
}
