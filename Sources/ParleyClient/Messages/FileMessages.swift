import ParleyProtocol

/// Something that was said.
public struct VoiceNote: Hashable, Sendable {
    public var file: Attachment
    /// How long it is; sent as whole milliseconds.
    public var duration: Duration

    public init(file: Attachment, duration: Duration) {
        self.file = file
        self.duration = duration
    }
}

/// A picture, and how large it is where that is known, so that its place can be kept before it is there.
public struct ImageMessage: Hashable, Sendable {
    public var file: Attachment
    /// In pixels.
    public var width: Int?
    /// In pixels.
    public var height: Int?
    public var caption: String?

    public init(file: Attachment, width: Int? = nil, height: Int? = nil, caption: String? = nil) {
        self.file = file
        self.width = width
        self.height = height
        self.caption = caption
    }
}

/// Any other file.
public struct FileMessage: Hashable, Sendable {
    public var file: Attachment
    public var caption: String?

    public init(file: Attachment, caption: String? = nil) {
        self.file = file
        self.caption = caption
    }
}

// MARK: JSON

extension VoiceNote: ContentValue {
    init(members object: JSONObject) throws(Rejection) {
        self.init(
            file: try object.content("file"),
            duration: .milliseconds(try object.integer("duration_ms", in: VoiceNote.counts).required("duration_ms")))
    }

    func writeMembers(to object: inout JSONWriter) {
        object.member("file", object: file.writeMembers)
        object.member("duration_ms", duration.wholeMilliseconds)
    }
}

extension Duration {
    /// Those that an `Int` holds.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (milliseconds, isOver) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isSumOver) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !isOver, !isSumOver else { return seconds < 0 ? .min : .max }
        return Int(clamping: sum)
    }
}

extension ImageMessage: ContentValue {
    init(members object: JSONObject) throws(Rejection) {
        self.init(
            file: try object.content("file"), width: try object.integer("width", in: ImageMessage.counts),
            height: try object.integer("height", in: ImageMessage.counts),
            caption: try object.writtenText("caption", maximum: ImageMessage.longestText))
    }

    func writeMembers(to object: inout JSONWriter) {
        object.member("file", object: file.writeMembers)
        object.member("width", ifPresent: width)
        object.member("height", ifPresent: height)
        object.member("caption", ifPresent: caption)
    }
}

extension FileMessage: ContentValue {
    init(members object: JSONObject) throws(Rejection) {
        self.init(
            file: try object.content("file"),
            caption: try object.writtenText("caption", maximum: FileMessage.longestText))
    }

    func writeMembers(to object: inout JSONWriter) {
        object.member("file", object: file.writeMembers)
        object.member("caption", ifPresent: caption)
    }
}
