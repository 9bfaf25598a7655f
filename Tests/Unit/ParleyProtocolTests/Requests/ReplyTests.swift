import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("Replies", .seeded)
struct ReplyTests {
    /// A reply as a client reads it.
    struct View: Decodable {
        struct Failure: Decodable {
            struct Device: Decodable, Equatable {
                let user_id: UserID
                let device_id: DeviceID
            }
            let code: ErrorCode
            let message: String
            let retry_after_ms: Int?
            let missing: [Device]?
            let extra: [Device]?
        }
        let request_id: String?
        let ok: Bool
        let data: [String: Int]?
        let error: Failure?
    }

    static func requestID(_ text: String) throws -> RequestID? {
        let payload = try JSONEncoder().encode(["request_id": text])
        return try JSONObject(parsing: Array(payload)).requestID()
    }

    @Test("an accepted request's reply repeats its request_id, whatever characters that has")
    func accepted() throws {
        var generator = Seeded(stream: 20)
        for _ in 0..<500 {
            let text = generator.text(0...64)
            let id = try Self.requestID(text)
            let bytes = JSONWriter.bytes { writer in
                Reply.writeAccepted(id, to: &writer) { data in data.object { $0.member("seq", 7) } }
            }
            let view = try JSONDecoder().decode(View.self, from: Data(bytes))
            #expect(view.request_id?.utf8.elementsEqual(text.utf8) == true)
            #expect(view.ok && view.data == ["seq": 7] && view.error == nil)
        }
    }

    @Test("a refusal says its code, and only what belongs to it", arguments: ErrorCode.allCases)
    func rejected(code: ErrorCode) throws {
        let bytes = JSONWriter.bytes { Reply.writeRejected(nil, Rejection(code, "A \"sentence\"."), to: &$0) }
        let view = try JSONDecoder().decode(View.self, from: Data(bytes))
        let failure = try #require(view.error)
        #expect(view.request_id == nil && !view.ok && view.data == nil)
        #expect(failure.code == code && failure.message == "A \"sentence\".")
        #expect(failure.retry_after_ms == nil && failure.missing == nil && failure.extra == nil)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""code":"\#(code.rawValue)""#))
    }

    @Test("rate_limited says when there is room again; stale_devices says which are missing and which extra")
    func details() throws {
        let phone = DeviceAddress(user: UserID("alice"), device: DeviceID("phone"))
        let limited = JSONWriter.bytes {
            Reply.writeRejected(nil, Rejection(.rateLimited, "Later.", retryAfterMilliseconds: 1500), to: &$0)
        }
        #expect(try JSONDecoder().decode(View.self, from: Data(limited)).error?.retry_after_ms == 1500)
        let stale = JSONWriter.bytes {
            let devices = Rejection.DeviceDifference(missing: [phone], extra: [])
            Reply.writeRejected(nil, Rejection(.staleDevices, "Others.", devices: devices), to: &$0)
        }
        let failure = try #require(try JSONDecoder().decode(View.self, from: Data(stale)).error)
        #expect(failure.missing == [.init(user_id: phone.user, device_id: phone.device)])
        #expect(failure.extra == [])
    }
}
