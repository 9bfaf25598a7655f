import ParleyProtocol

/// A voice message.
public struct VoiceNote: Hashable, Sendable, PrintedWithoutContent {
    public var file: Attachment
    /// Sent as whole milliseconds.
    public var duration: Duration
    /// How loud it is, from its beginning to its end: at most 256 values of 0 to 255.
    public var waveform: [UInt8]?

    /// In values.
    package static let longestWaveform = 256

    public init(file: Attachment, duration: Duration, waveform: [UInt8]? = nil) {
        (self.file, self.duration, self.waveform) = (file, duration, waveform)
    }

    public var description: String { "a voice message" }
}

/// A picture, with its size if known, so that its space can be reserved before it is loaded.
public struct ImageMessage: Hashable, Sendable, PrintedWithoutContent {
    public var file: Attachment
    /// In pixels.
    public var width: Int?
    /// In pixels.
    public var height: Int?
    public var thumbnail: Thumbnail?
    public var caption: String?

    public init(
        file: Attachment, width: Int? = nil, height: Int? = nil, thumbnail: Thumbnail? = nil, caption: String? = nil
    ) {
        (self.file, self.width, self.height, self.thumbnail) = (file, width, height, thumbnail)
        self.caption = caption
    }

    public var description: String { "an image" }
}

/// Any other file.
public struct FileMessage: Hashable, Sendable, PrintedWithoutContent {
    public var file: Attachment
    public var caption: String?

    public init(file: Attachment, caption: String? = nil) { (self.file, self.caption) = (file, caption) }

    public var description: String { "a file" }
}

// MARK: JSON

extension VoiceNote: GatewayObject {
    package init<Pass: FieldPass<VoiceNote>>(fields pass: inout Pass) throws(Pass.Failure) {
        file = try pass.required("file", \.file, as: .object())
        duration = .milliseconds(try pass.required("duration_ms", \.duration.wholeMilliseconds, as: .count))
        waveform = try pass.optional("waveform", \.waveform, as: WaveformForm(), without: .omitted)
    }
}

extension Duration {
    /// Clamped to an `Int`.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (milliseconds, isOver) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isSumOver) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !isOver, !isSumOver else { return seconds < 0 ? .min : .max }
        return Int(clamping: sum)
    }
}

extension ImageMessage: GatewayObject {
    package init<Pass: FieldPass<ImageMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        file = try pass.required("file", \.file, as: .object())
        width = try pass.optional("width", \.width, as: .count, without: .omitted)
        height = try pass.optional("height", \.height, as: .count, without: .omitted)
        thumbnail = try pass.optional("thumbnail", \.thumbnail, as: ThumbnailForm(), without: .omitted)
        caption = try pass.optional("caption", \.caption, as: .written, without: .omitted)
    }
}

extension FileMessage: GatewayObject {
    package init<Pass: FieldPass<FileMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        file = try pass.required("file", \.file, as: .object())
        caption = try pass.optional("caption", \.caption, as: .written, without: .omitted)
    }
}
