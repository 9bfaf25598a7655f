import OpenSSL
import ParleyProtocol
import Sodium

/// A signature of version 4 in the field `Authorization` (AWS Signature Version 4, "Authenticating Requests:
/// Using the Authorization Header", with the payload in one chunk).
struct S3Signature: Sendable {
    let credentials: S3Credentials
    let region: String

    /// A request as it is signed.
    struct Request: Sendable {
        let method: String
        let host: String
        /// In the form of the URL, with a slash at its beginning.
        let path: String
        /// In the form of the URL: encoded, and sorted by name.
        let query: String
        /// With lower-case names; all of them are signed.
        var fields: [(name: String, value: String)]
        /// The hexadecimal SHA-256 of the body.
        let payloadDigest: String
    }

    /// - Returns: the request's fields with those of the signature.
    func sign(_ request: Request, at time: Timestamp) throws -> [(name: String, value: String)] {
        let date = S3Signature.date(time)
        let day = String(date.prefix(8))
        var added = [(name: "x-amz-content-sha256", value: request.payloadDigest), (name: "x-amz-date", value: date)]
        if let token = credentials.sessionToken { added.append((name: "x-amz-security-token", value: token)) }
        let fields = request.fields + added
        let signed = (fields + [(name: "host", value: request.host)]).sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        let canonical =
            "\(request.method)\n\(request.path)\n\(request.query)\n"
            + signed.map { "\($0.name):\($0.value)\n" }.joined() + "\n\(names)\n\(request.payloadDigest)"
        let scope = "\(day)/\(region)/s3/aws4_request"
        let digest = try S3Signature.digest(Array(canonical.utf8).span)
        let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(digest)"
        var key = Array("AWS4\(credentials.secret)".utf8)
        for part in [day, region, "s3", "aws4_request", text] {
            key = try HMACSHA256.authenticate(Array(part.utf8).span, key: key.span).withBytes { bytes in
                bytes.indices.map { bytes[$0] }
            }
        }
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.keyID)/\(scope),SignedHeaders=\(names),"
            + "Signature=\(BlobNames.hex(key))"
        return fields + [(name: "authorization", value: authorization)]
    }

    /// `20260115T093000Z`
    static func date(_ time: Timestamp) -> String {
        String(decoding: time.description.utf8.prefix(19).filter { $0 != 0x2D && $0 != 0x3A }, as: UTF8.self) + "Z"
    }

    /// The hexadecimal SHA-256.
    static func digest(_ bytes: Span<UInt8>) throws(OpenSSLError) -> String {
        var hash = try SHA256.begin()
        try hash.update(bytes)
        return BlobNames.hex(try hash.finish())
    }

    /// A name or value of a query: all but unreserved characters in percent-encoding.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard !byte.isASCIILetterOrDigit, !"-._~".utf8.contains(byte) else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(ascii: "%"))
            bytes += BlobNames.hex([byte]).uppercased().utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
