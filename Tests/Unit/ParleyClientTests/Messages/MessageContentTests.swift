import Foundation
import ParleyCrypto
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What is in a message")
struct MessageContentTests {
    private static func json(_ object: [String: Any]) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: object))
    }

    private static func object(_ json: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    @Test("what is sealed is read as the same", arguments: MessageType.Sendable.allCases)
    func roundTrip(type: MessageType.Sendable) throws {
        for content in MessageContent.samples(type) {
            #expect(content.type == type)
            let json = try content.encoded()
            #expect(try MessageContent(type: .known(type.type), json: json) == content)
            // In another spelling, and among members of a later version.
            var object = try Self.object(json)
            object["later"] = ["text": [1, NSNull()]]
            let respelled = try JSONSerialization.data(withJSONObject: object, options: .prettyPrinted)
            #expect(try MessageContent(type: .known(type.type), json: Array(respelled)) == content)
        }
    }

    @Test("the members are those of the protocol")
    func members() throws {
        let file = #""file":{"url":"https://files.example/7f31","key":"\#(Base64.encode(Attachment.sample.key))","#
        let attachment =
            file + #""digest":"\#(Base64.encode(Attachment.sample.digest))","size":1048577,"name":"Plan Mai.pdf","#
            + #""mime_type":"application/pdf"}"#
        let id = ChallengeID.random()
        let challenge = ChallengeCard(
            challengeID: id, title: "Go", challengeType: .steps, target: 10_000, durationDays: 7)
        let expected: [(MessageContent, String)] = [
            (.text("a\"b"), #"{"text":"a\"b"}"#),
            (
                .dietPlan(DietPlanCard(planID: "d", planTitle: "D", calories: 1900, days: 28, summary: "s")),
                #"{"plan_id":"d","plan_title":"D","calories":1900,"days":28,"summary":"s"}"#
            ),
            (.workoutPlan(WorkoutPlanCard(planID: "w", planTitle: "W")), #"{"plan_id":"w","plan_title":"W"}"#),
            (
                .challenge(challenge),
                #"{"challenge_id":"\#(id)","title":"Go","challenge_type":"steps","target":10000,"duration_days":7}"#
            ),
            (.voice(VoiceNote(file: .sample, duration: .milliseconds(4200))), "{\(attachment),\"duration_ms\":4200}"),
            (.image(ImageMessage(file: .sample, width: 3, height: 4)), "{\(attachment),\"width\":3,\"height\":4}"),
            (.file(FileMessage(file: .sample, caption: "c")), "{\(attachment),\"caption\":\"c\"}"),
        ]
        for (content, json) in expected { #expect(String(decoding: try content.encoded(), as: UTF8.self) == json) }
    }

    @Test("each member but those that may be left out must be there, and none may be of another kind")
    func badMembers() throws {
        for type in MessageType.Sendable.allCases {
            let samples = try MessageContent.samples(type).map { try Self.object($0.encoded()) }
            let (most, least) = (try #require(samples.first), try #require(samples.last))
            for name in most.keys {
                var without = most
                without[name] = nil
                let isRequired = least[name] != nil
                #expect(
                    ((try? MessageContent(type: .known(type.type), json: Self.json(without))) == nil) == isRequired,
                    "\(type): \(name)")
                // Of these two what is none is read as if it were not there.
                if ["thumbnail", "waveform"].contains(name) { continue }
                for wrong in [true, ["x"], -1, 0.5] as [Any] {
                    var object = most
                    object[name] = wrong
                    #expect(throws: OpeningError.badContent, "\(type): \(name): \(wrong)") {
                        try MessageContent(type: .known(type.type), json: Self.json(object))
                    }
                }
            }
        }
    }

    @Test("a thumbnail or waveform that is none is read as if it were not there, and the message is still shown")
    func badDecoration() throws {
        let page = Base64.encode(Array("<svg onload='x()'/>".utf8))
        let large = Base64.encode(.pngSignature + [UInt8](repeating: 0, count: Thumbnail.maximumBytes))
        let wrongs: [Any] = [true, ["x"], -1, 0.5, "", "%", large]
        let file = try Self.object(Attachment.sample.json)
        for wrong in wrongs + [page] {
            let json = try Self.json(["file": file, "thumbnail": wrong])
            let content = try MessageContent(type: .known(.image), json: json)
            #expect(content == .image(ImageMessage(file: .sample)), "\(wrong)")
        }
        for wrong in wrongs {
            let json = try Self.json(["file": file, "duration_ms": 4200, "waveform": wrong])
            let content = try MessageContent(type: .known(.voice), json: json)
            #expect(content == .voice(VoiceNote(file: .sample, duration: .milliseconds(4200))), "\(wrong)")
        }
    }

    @Test("a key or digest of another length is none")
    func attachmentLengths() throws {
        let good = try Self.object(MessageContent.file(FileMessage(file: .sample)).encoded())
        for (name, count) in [("key", 31), ("key", 33), ("digest", 0), ("digest", 64)] {
            var file = try #require(good["file"] as? [String: Any])
            file[name] = Base64.encode([UInt8](repeating: 1, count: count))
            #expect(throws: OpeningError.badContent) {
                try MessageContent(type: .known(.file), json: Self.json(["file": file]))
            }
        }
    }

    @Test("a type of a later version is kept by its name, with its JSON; it cannot be made here")
    func unknown() throws {
        let json = Array(#"{"emoji":"🏋️"}"#.utf8)
        let content = try MessageContent(type: .unknown("sticker"), json: json)
        #expect(content == .unknown(type: "sticker", json: json) && content.type == nil)
        #expect(throws: ContentError.unknownType("sticker")) { try content.encoded() }
        #expect(throws: OpeningError.badContent) { try MessageContent(type: .unknown("sticker"), json: [1, 2]) }
        #expect(throws: OpeningError.badContent) { try MessageContent(type: .known(.system), json: json) }
    }

    @Test("a challenge of a later type is still a challenge")
    func laterChallenge() throws {
        let json = #"{"challenge_id":"7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a","title":"","challenge_type":"laps","#
        let content = try MessageContent(
            type: .known(.challenge), json: Array((json + #""target":3,"duration_days":1}"#).utf8))
        guard case .challenge(let card) = content else { throw UnexpectedError(content) }
        #expect(card.challengeType == .unknown("laps") && card.target == 3)
        #expect(try MessageContent(type: .known(.challenge), json: content.encoded()) == content)
    }

    @Test("what does not fit is refused before it is sealed, to the byte")
    func tooLarge() throws {
        let room = MessageContent.maximumBytes - #"{"text":""}"#.utf8.count
        #expect(try MessageContent.text(String(repeating: "x", count: room)).encoded().count == 65_024)
        #expect(throws: ContentError.tooLarge(bytes: 65_025, maximum: 65_024)) {
            try MessageContent.text(String(repeating: "x", count: room + 1)).encoded()
        }
        // Each of these takes six bytes of JSON.
        #expect(throws: ContentError.self) {
            try MessageContent.text(String(repeating: "\u{1}", count: room / 6 + 1)).encoded()
        }
    }

    @Test("what no reader would take is refused before it is sealed, by its name")
    func invalid() throws {
        var file = Attachment.sample
        file.key = [1]
        var negative = Attachment.sample
        negative.size = -1
        let contents: [(MessageContent, String)] = [
            (.dietPlan(DietPlanCard(planID: "a\u{0}b", planTitle: "")), "plan_id"),
            (.file(FileMessage(file: file)), "key"),
            (.file(FileMessage(file: negative)), "size"),
            (.dietPlan(DietPlanCard(planID: String(repeating: "x", count: 256), planTitle: "")), "plan_id"),
            (.dietPlan(DietPlanCard(planID: "", planTitle: "", calories: Int.min)), "calories"),
            (.voice(VoiceNote(file: .sample, duration: .seconds(Int64.max))), "duration_ms"),
        ]
        for (content, field) in contents {
            let error = #expect(throws: ContentError.self) { try content.encoded() }
            guard case .invalid(let problem)? = error else { throw UnexpectedError(error) }
            #expect(problem.hasPrefix("\(field): "))
        }
    }

    @Test("U+0000 in what people read is kept, and one character more than fits is refused all the same")
    func nullCharacter() throws {
        let text = "a\u{0}b"
        let contents: [MessageContent] = [
            .text(text), .dietPlan(DietPlanCard(planID: "1", planTitle: text, summary: text)),
            .workoutPlan(WorkoutPlanCard(planID: "1", planTitle: text, summary: text)),
            .file(FileMessage(file: .sample, caption: text)), .image(ImageMessage(file: .sample, caption: text)),
        ]
        for content in contents {
            let json = try content.encoded()
            #expect(String(decoding: json, as: UTF8.self).contains(#"a\u0000b"#))
            #expect(try MessageContent(type: .known(#require(content.type).type), json: json) == content)
        }
        let long = Array(#"{"text":"\u0000\#(String(repeating: "x", count: Limits.contentBytes))"}"#.utf8)
        #expect(throws: OpeningError.badContent) { try MessageContent(type: .known(.text), json: long) }
    }

    @Test("beside the value, all that was sealed is kept, in one line")
    func opened() throws {
        let sealed = "{ \"later\" : [ 1 ,\t\"a \\\" b\\\\\" ] ,\r\n  \"text\" : \"x  y\" }\n"
        let opened = try OpenedContent(type: .known(.text), json: Array(sealed.utf8))
        #expect(opened.value == .text("x  y"))
        #expect(String(decoding: opened.json, as: UTF8.self) == #"{"later":[1,"a \" b\\"],"text":"x  y"}"#)
        #expect(throws: OpeningError.badContent) { try OpenedContent(type: .known(.text), json: []) }
    }
}
