import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// The content of a reported message, opened with the content key that its reporter has revealed.
///
/// The ciphertext is the gateway's own copy, taken when the report was made, and its sender was signed in: the opened
/// content is the one that they sealed. Only they could have made a ciphertext that opens to different contents under
/// different keys.
enum ReportOpening {
    case opened([UInt8])
    case failed(OpeningError)
    /// There is no message in the report.
    case noMessage
    /// The ciphertext had been deleted, or had disappeared, before the report.
    case gone
    /// The evidence holds no `content_key` of 32 bytes.
    case noContentKey

    init(_ report: Report) {
        guard let message = report.message else {
            self = .noMessage
            return
        }
        let record = try? MessageRecord(json: message)
        // Without a content key of its own, and bound to nothing: no evidence proves it.
        if record?.suite == .known(.legacyNaClBox) {
            self = .failed(.notBound)
            return
        }
        guard let key = ReportOpening.contentKey(report.evidence) else {
            self = .noContentKey
            return
        }
        guard let record else {
            self = .failed(.malformed)
            return
        }
        guard record.content != nil else {
            self = .gone
            return
        }
        do throws(OpeningError) {
            let (sealed, header) = try record.sealed()
            self = .opened(try sealed.open(header, contentKey: key))
        } catch {
            self = .failed(error)
        }
    }

    private static func contentKey(_ evidence: [UInt8]?) -> [UInt8]? {
        guard let evidence, let object = try? JSONObject(parsing: evidence) else { return nil }
        return try? object.base64("content_key", lengths: 32...32)
    }

    var isOpened: Bool {
        if case .opened = self { true } else { false }
    }

    /// A word for programs.
    private var code: String {
        switch self {
        case .opened: "opened"
        case .failed(let failure): failure.code
        case .noMessage: "no_message"
        case .gone: "gone"
        case .noContentKey: "no_content_key"
        }
    }

    /// `verified`, and the content: JSON as `content`, anything else as `content_text`.
    func writeMembers(to object: inout JSONWriter) {
        object.member("verified", code)
        guard case .opened(let content) = self else { return }
        if (try? JSONObject(parsing: content)) != nil {
            object.member("content", raw: content)
        } else {
            object.member("content_text", String(decoding: content, as: UTF8.self))
        }
    }
}

extension ReportOpening: CustomStringConvertible {
    /// For people. The content is not printable yet.
    var description: String {
        switch self {
        case .opened(let content): String(decoding: content, as: UTF8.self)
        case .failed(let failure): "no: \(failure)"
        case .noMessage: "no: the report is about a user"
        case .gone: "no: the message was gone when it was reported"
        case .noContentKey: "no: the evidence holds no content_key of 32 bytes"
        }
    }
}
