import ParleyProtocol

/// A file of this device that is to be sent.
public struct OutgoingFile: Hashable, Sendable, PrintedWithoutContent {
    public var path: String
    /// What the recipients see; without a path.
    public var name: String
    /// `nil` to tell it by the file's first bytes or its name.
    public var mimeType: String?
    public var caption: String?

    public init(_ path: String, name: String? = nil, mimeType: String? = nil, caption: String? = nil) {
        let last = path.split(separator: "/").last.map { String($0) } ?? path
        (self.path, self.mimeType, self.caption) = (path, mimeType, caption)
        let scalars = (name ?? last).unicodeScalars.filter { $0 != "\0" }
        self.name = String(String.UnicodeScalarView(scalars.prefix(MessageContent.longestName)))
    }

    /// Without its name and caption.
    public var description: String { "a file to be sent" }

    private static let types = [
        "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv",
        "zip": "application/zip",
        "json": "application/json", "gpx": "application/gpx+xml", "mp3": "audio/mpeg", "ogg": "audio/ogg",
        "opus": "audio/opus", "m4a": "audio/mp4", "wav": "audio/wav", "mp4": "video/mp4", "webm": "video/webm",
        "svg": "image/svg+xml", "html": "text/html",
    ]

    func shownType(_ header: ImageHeader?) -> String {
        if let mimeType { return mimeType }
        if let header { return header.kind.rawValue }
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return OutgoingFile.types[ending] ?? "application/octet-stream"
    }
}

/// A small picture in a message, which is shown before the file is fetched.
public struct Thumbnail: Hashable, Sendable, PrintedWithoutContent {
    public let bytes: [UInt8]

    /// 24 KiB, so that a content with it fits into a message.
    public static let maximumBytes = 24_576

    /// - Returns: `nil` unless it is a PNG or JPEG of at most ``maximumBytes``.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Thumbnail.maximumBytes, let header = ImageHeader(bytes) else { return nil }
        switch header.kind {
        case .png, .jpeg: self.bytes = bytes
        case .gif, .webP: return nil
        }
    }

    public var description: String { "Thumbnail(\(bytes.count) bytes)" }
}

/// A field that others may write as they like: what is no thumbnail is read as none, and the message is still shown.
struct ThumbnailForm: FieldForm {
    private static let bytes = Base64Form.base64(1...Thumbnail.maximumBytes)

    func read(_ name: String, of object: JSONObject) throws(Rejection) -> Thumbnail? {
        ((try? ThumbnailForm.bytes.read(name, of: object)) ?? nil).flatMap { Thumbnail($0) }
    }

    func write(_ value: Thumbnail, to writer: inout JSONWriter) {
        ThumbnailForm.bytes.write(value.bytes, to: &writer)
    }

    var schema: FieldSchema { .base64(1...Thumbnail.maximumBytes) }
}

/// How loud a voice message is, from its beginning to its end: 0 to 255 each.
struct WaveformForm: FieldForm {
    static let longest = VoiceNote.longestWaveform
    private static let bytes = Base64Form.base64(1...longest)

    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UInt8]? {
        (try? WaveformForm.bytes.read(name, of: object)) ?? nil
    }

    func write(_ value: [UInt8], to writer: inout JSONWriter) { WaveformForm.bytes.write(value, to: &writer) }

    var schema: FieldSchema { .base64(1...WaveformForm.longest) }
}
