import ParleyCrypto
import ParleyProtocol

/// The content of a message, which only devices can read (protocol §6, "Content").
public enum MessageContent: Hashable, Sendable, PrintedWithoutContent {
    case text(String)
    case dietPlan(DietPlanCard)
    case workoutPlan(WorkoutPlanCard)
    case challenge(ChallengeCard)
    case voice(VoiceNote)
    case image(ImageMessage)
    case file(FileMessage)
    /// A reaction to a message; empty to remove it. Only in records of that kind.
    case reaction(String)
    /// A request to seal a message again for a device that could not open it. Only in reactions; clients send it by
    /// themselves.
    case resendRequest
    /// An unknown type, with its JSON.
    case unknown(type: String, json: [UInt8])

    /// The most bytes of JSON: a sealed content's 64 KiB, less the header and tags of the suites.
    public static let maximumBytes = Limits.contentBytes - 512

    /// The file of a voice message, a picture or a file.
    public var attachment: Attachment? {
        switch self {
        case .voice(let note): note.file
        case .image(let image): image.file
        case .file(let file): file.file
        case .text, .dietPlan, .workoutPlan, .challenge, .reaction, .resendRequest, .unknown: nil
        }
    }

    /// What kind of content it is; an app shows its own words for it.
    public var description: String {
        switch self {
        case .text: "text"
        case .dietPlan: "diet plan"
        case .workoutPlan: "workout plan"
        case .challenge: "challenge"
        case .voice: "voice message"
        case .image: "image"
        case .file: "file"
        case .reaction: "reaction"
        case .resendRequest: "request to seal again"
        case .unknown: "content of an unknown type"
        }
    }

    /// `nil` for content that is not a message.
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
    /// Reads opened content. Unknown members are ignored.
    ///
    /// - Throws: `badContent` for invalid JSON, or a missing required member.
    public init(
        kind: Named<RecordKind> = .known(.message), type: Named<MessageType>, json: [UInt8]
    ) throws(OpeningError) {
        do throws(Rejection) {
            switch (kind, type) {
            case (.known(.reaction), _):
                let object = try MessageContent.object(json)
                self = try ResendRequest.isIn(object) ? .resendRequest : .reaction(Reaction(members: object).emoji)
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
    /// A value that a reader would refuse is refused here.
    public func encoded() throws(ContentError) -> [UInt8] {
        let json =
            switch self {
            case .text(let text): TextContent(text: text).json
            case .dietPlan(let card): card.json
            case .workoutPlan(let card): card.json
            case .challenge(let card): card.json
            case .voice(let note): note.json
            case .image(let image): image.json
            case .file(let file): file.json
            case .reaction(let emoji): Reaction(emoji: emoji).json
            case .resendRequest: ResendRequest.json
            case .unknown(let name, _): throw ContentError.unknownType(name)
            }
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

private struct TextContent: GatewayObject {
    let text: String
}

extension TextContent {
    init<Pass: FieldPass<TextContent>>(fields pass: inout Pass) throws(Pass.Failure) {
        text = try pass.required("text", \.text, as: .written)
    }
}

public enum ContentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In bytes of JSON.
    case tooLarge(bytes: Int, maximum: Int)
    /// A field is invalid: its name, and why.
    case invalid(String)
    /// A type that this version does not know.
    case unknownType(String)

    public var description: String {
        switch self {
        case .tooLarge(let bytes, let maximum): "the message is too long: \(bytes) bytes, and \(maximum) fit"
        case .invalid(let problem): problem
        case .unknownType(let name): "this version cannot send messages of the type \(name)"
        }
    }
}

extension MessageContent {
    /// The longest id of a plan and the longest name of a file, in characters.
    static let longestName = 255
}

/// A text that a person wrote, with any character, U+0000 included. Whoever displays it makes invisible characters
/// visible. The bound of the whole content is reached before the text's own.
struct WrittenTextForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> String? {
        do throws(Rejection) {
            return try object.text(name, maximum: Limits.contentBytes)
        } catch {
            guard case .object(let members) = object.element,
                case .string(let text)? = members.first(where: { $0.key == name })?.value,
                text.unicodeScalars.count <= Limits.contentBytes
            else { throw error }
            return text
        }
    }

    func write(_ value: String, to writer: inout JSONWriter) { value.write(to: &writer) }

    var schema: FieldSchema { .text(0...Limits.contentBytes) }
}

extension FieldForm where Self == WrittenTextForm {
    static var written: WrittenTextForm { WrittenTextForm() }
}

extension FieldForm where Self == IntegerForm {
    /// Up to the largest whole number that every JSON reader tells apart from its neighbours (RFC 8259 §6).
    static var count: IntegerForm { .integer(0...9_007_199_254_740_991) }
}
