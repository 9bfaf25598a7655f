import ParleyCrypto
import ParleyProtocol

/// What is in a message: what devices seal and the gateway never sees (protocol §6, "Content").
public enum MessageContent: Hashable, Sendable {
    case text(String)
    case dietPlan(DietPlanCard)
    case workoutPlan(WorkoutPlanCard)
    case challenge(ChallengeCard)
    case voice(VoiceNote)
    case image(ImageMessage)
    case file(FileMessage)
    /// How somebody reacts to a message; empty where they take their reaction back. Only in records of that kind.
    case reaction(String)
    /// A device of somebody could not open a message, and asks that it be sealed anew. Only in records of that kind;
    /// clients write it by themselves.
    case resendRequest
    /// Of a type that this version does not know: its name, and the JSON object as it was sealed.
    case unknown(type: String, json: [UInt8])

    /// The most bytes of JSON: what is left of a sealed content's 64 KiB beside the header and the tags that the suites
    /// put with it.
    public static let maximumBytes = Limits.contentBytes - 512

    /// `nil` for what is not sent as a message.
    public var type: MessageType.Sendable? {
        switch self {
        case .text: .text
        case .dietPlan: .dietPlan
        case .workoutPlan: .workoutPlan
        case .challenge: .challenge
        case .voice: .voice
        case .image: .image
        case .file: .file
        case .reaction, .resendRequest, .unknown: nil
        }
    }
}

// MARK: Reading

extension MessageContent {
    /// Reads what was opened. Members that this version does not know are passed over.
    ///
    /// - Throws: `badContent` for what is no JSON object, or lacks what its type must have.
    public init(
        kind: Named<RecordKind> = .known(.message), type: Named<MessageType>, json: [UInt8]
    ) throws(OpeningError) {
        do throws(Rejection) {
            switch (kind, type) {
            case (.known(.reaction), _):
                let object = try MessageContent.object(json)
                self =
                    try ResendRequest(object) == nil ? .reaction(try Reaction(members: object).emoji) : .resendRequest
            case (_, .unknown(let name)):
                _ = try MessageContent.object(json)
                self = .unknown(type: name, json: json)
            case (_, .known(let known)):
                self = try MessageContent.read(known, json)
            }
        } catch {
            throw .badContent
        }
    }

    private static func object(_ json: [UInt8]) throws(Rejection) -> JSONObject {
        do throws(JSONError) {
            return try JSONObject(parsing: json)
        } catch {
            throw Rejection(payload: error)
        }
    }

    private static func read(_ type: MessageType, _ json: [UInt8]) throws(Rejection) -> MessageContent {
        let object = try object(json)
        return switch type {
        case .text: .text(try TextContent(members: object).text)
        case .dietPlan: .dietPlan(try DietPlanCard(members: object))
        case .workoutPlan: .workoutPlan(try WorkoutPlanCard(members: object))
        case .challenge: .challenge(try ChallengeCard(members: object))
        case .voice: .voice(try VoiceNote(members: object))
        case .image: .image(try ImageMessage(members: object))
        case .file: .file(try FileMessage(members: object))
        case .system: throw Rejection(.badRequest, "what the gateway itself says is not sealed")
        }
    }
}

// MARK: Writing

extension MessageContent {
    /// The JSON object to be sealed.
    ///
    /// What is given can be read: a value that no reader would take is refused here, before it is sent.
    public func encoded() throws(ContentError) -> [UInt8] {
        let value: any ContentValue =
            switch self {
            case .text(let text): TextContent(text: text)
            case .dietPlan(let card): card
            case .workoutPlan(let card): card
            case .challenge(let card): card
            case .voice(let note): note
            case .image(let image): image
            case .file(let file): file
            case .reaction(let emoji): Reaction(emoji: emoji)
            case .resendRequest: ResendRequest()
            case .unknown(let name, _): throw .unknownType(name)
            }
        var writer = JSONWriter()
        writer.object(value.writeMembers)
        let json = writer.finish()
        guard json.count <= MessageContent.maximumBytes else {
            throw .tooLarge(bytes: json.count, maximum: MessageContent.maximumBytes)
        }
        do throws(Rejection) {
            if let type {
                _ = try MessageContent.read(type.type, json)
            } else if case .reaction = self {
                _ = try Reaction(members: try MessageContent.object(json))
            }
        } catch {
            throw .invalid(error.message)
        }
        return json
    }
}

private struct TextContent: ContentValue {
    let text: String

    init(text: String) { self.text = text }

    init(members object: JSONObject) throws(Rejection) {
        text = try object.writtenText("text", maximum: TextContent.longestText).required("text")
    }

    func writeMembers(to object: inout JSONWriter) { object.member("text", text) }
}

/// Why a content cannot be sent.
public enum ContentError: Error, Hashable, Sendable {
    /// As JSON; `maximum` is what fits.
    case tooLarge(bytes: Int, maximum: Int)
    /// A field holds what its readers would refuse: its name, and what is wrong with it.
    case invalid(String)
    /// A type that this version can show by its name, but not make.
    case unknownType(String)
}

extension ContentError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let maximum): "the message is too long: \(bytes) bytes, and \(maximum) fit"
        case .invalid(let problem): problem
        case .unknownType(let name): "this version cannot send messages of the type \(name)"
        }
    }
}

/// What the sealed content of one message type holds, or an object inside it (protocol §6, "Content").
///
/// Members that are not named are left out; `null` is the same as leaving out.
protocol ContentValue: Hashable, Sendable {
    /// Unknown members are ignored.
    ///
    /// - Throws: what names the member that is missing or does not hold what it should.
    init(members: JSONObject) throws(Rejection)
    func writeMembers(to object: inout JSONWriter)
}

extension ContentValue {
    /// What every JSON reader can tell apart from its neighbours (RFC 8259 §6).
    static var counts: ClosedRange<Int> { 0...9_007_199_254_740_991 }
    /// The longest text; the content's own bound comes before it.
    static var longestText: Int { Limits.contentBytes }
    /// The longest id that is not the gateway's, and the longest name of a file, in characters.
    static var longestName: Int { 255 }
}

extension JSONWriter {
    mutating func member(_ name: String, ifPresent value: (some JSONWritable)?) {
        if let value { member(name, value) }
    }
}

extension JSONObject {
    /// A text that somebody wrote to be read by people: it may hold any character, U+0000 too, and whoever shows it
    /// makes visible what has no form of its own.
    func writtenText(_ name: String, maximum: Int) throws(Rejection) -> String? {
        do throws(Rejection) {
            return try text(name, maximum: maximum)
        } catch {
            guard case .object(let members) = element,
                case .string(let text)? = members.first(where: { $0.key == name })?.value,
                text.unicodeScalars.count <= maximum
            else { throw error }
            return text
        }
    }

    func content<Value: ContentValue>(_ name: String, of _: Value.Type = Value.self) throws(Rejection) -> Value {
        try Value(members: try object(name).required(name))
    }
}
