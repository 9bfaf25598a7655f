import HTTPTypes
import ParleyProtocol
import Testing

@testable import ParleyWeb

@Suite("Fields of tus")
struct TusTests {
    private let id = BlobID.random()

    private func text(_ value: String) -> String { BlobSample.base64(value.utf8) }

    private func fields(_ change: (inout HTTPFields) -> Void = { _ in }) -> HTTPFields {
        var fields = HTTPFields()
        fields[Tus.length] = "100"
        fields[Tus.metadata] =
            "id \(text("\(id)")),conversation_id \(text("\(BlobSample.conversation)")),"
            + "digest \(BlobSample.base64([UInt8](repeating: 7, count: 32)))"
        change(&fields)
        return fields
    }

    @Test("a creation is read, with a digest in bytes or in base64")
    func creation() throws {
        let creation = try Tus.creation(fields())
        #expect(creation.id == id && creation.conversation == BlobSample.conversation && creation.size == 100)
        #expect(creation.digest.bytes == [UInt8](repeating: 7, count: 32))
        let digest = text(BlobSample.base64([UInt8](repeating: 8, count: 32)))
        let other = try Tus.creation(
            fields {
                $0[Tus.metadata] =
                    "is_confidential,id \(text("\(id)")), conversation_id \(text("\(BlobSample.conversation)")),"
                    + "digest \(digest)"
            })
        #expect(other.digest.bytes == [UInt8](repeating: 8, count: 32))
    }

    @Test(
        "lengths are whole numbers within the form",
        arguments: [
            ("", 400), ("-1", 400), ("+17", 400), ("16", 400), ("0", 400), ("1e3", 400), ("17, 17", 400),
            ("0x20", 400), ("99999999999999999999", 400), ("9223372036854775807", 413), ("9007199254740992", 413),
        ])
    func lengths(text: String, status: Int) {
        #expect(throws: APIRefusal.self) { try Tus.creation(fields { $0[Tus.length] = text }) }
        do throws(APIRefusal) {
            _ = try Tus.creation(fields { $0[Tus.length] = text })
        } catch {
            #expect(error.status == status, "\(text)")
        }
    }

    @Test("a length that comes later, a body, and missing fields are refused")
    func refused() {
        let changes: [(inout HTTPFields) -> Void] = [
            { $0[Tus.length] = nil }, { $0[Tus.metadata] = nil }, { $0[Tus.deferLength] = "1" },
            { $0[.contentLength] = "5" }, { $0[.transferEncoding] = "chunked" },
            { $0[Tus.metadata] = "id !" }, { $0[Tus.metadata] = "id AA== AA==" },
            { $0[Tus.metadata] = "id AA==,id AA==" },
        ]
        for change in changes { #expect(throws: APIRefusal.self) { try Tus.creation(fields(change)) } }
    }

    @Test("ids are canonical, whatever a path would make of them")
    func ids() {
        for value in [
            "../../etc/passwd", "", "\(id)".uppercased(), "\(id)/", "\(id)\u{0}", " \(id)", "{\(id)}", "..", "\(id)\n",
        ] {
            let metadata =
                "id \(text(value)),conversation_id \(text("\(BlobSample.conversation)")),"
                + "digest \(BlobSample.base64([UInt8](repeating: 7, count: 32)))"
            #expect(throws: APIRefusal.self, "\(value)") { try Tus.creation(fields { $0[Tus.metadata] = metadata }) }
        }
    }

    @Test("a client of another version is told which there is")
    func version() {
        for version in [nil, "", "0.2.2", "1.0", "1.0.0, 1.0.0"] {
            var fields = HTTPFields()
            fields[Tus.resumable] = version
            #expect(throws: APIRefusal.self) { try Tus.checkVersion(fields) }
        }
    }

    @Test("times have the form of HTTP")
    func dates() {
        #expect(HTTPDate.text(Timestamp(milliseconds: 784_111_777_000)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(Timestamp(milliseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(.earliest) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(Timestamp(milliseconds: 1_796_000_000_000)) == "Mon, 30 Nov 2026 00:53:20 GMT")
    }

    @Test("paths of blobs are those with a canonical id")
    func paths() {
        #expect(BlobPath("/api/v1/blobs") == .uploads && BlobPath("/api/v1/blobs?x=/1") == .uploads)
        #expect(BlobPath("/api/v1/blobs/\(id)") == .blob(id) && BlobPath("/api/v1/blobs/\(id)?a") == .blob(id))
        for path in [
            "/api/v1/blobs/", "/api/v1/blobs/create", "/api/v1/blobs/\(id)/", "/api/v1/blobs//\(id)", "/api/v1/blobsx",
            "/api/v1/blobs/../\(id)", "/api/v1/blobs/%2e%2e", "/api/v1/blob", "/", "", "*",
            "/api/v1/blobs/\("\(id)".uppercased())",
        ] { #expect(BlobPath(path) == nil, "\(path)") }
    }
}
