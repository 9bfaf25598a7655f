import ParleyProtocol
import ParleyWeb
import Testing

/// What the tests of the API ask with.
enum APISample {
    static let caller = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
    static let conversation = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"
    static let message = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func call(
        _ method: String, _ path: String, _ body: String = "", contentType: String? = "application/json",
        key: String? = nil, by caller: DeviceAddress = caller
    ) throws -> GatewayCall {
        let head = APIRequestHead(
            method: method, target: "/api/v1/" + path, contentType: contentType, idempotencyKey: key)
        guard case .call(let call) = try APIRoute(head) else { throw NotACall() }
        return try call.call(body: bytes(body), by: caller)
    }

    /// The refusal of a request by the door; `nil` for one that it takes.
    static func refusal(
        _ method: String, _ path: String, _ body: String = "", contentType: String? = "application/json",
        key: String? = nil
    ) throws -> APIRefusal? {
        do {
            _ = try call(method, path, body, contentType: contentType, key: key)
            return nil
        } catch let refusal as APIRefusal {
            return refusal
        } catch is NotACall {
            return nil
        }
    }

    struct NotACall: Error {}

    static func accepted(_ data: String) -> [UInt8] { bytes(#"{"request_id":null,"ok":true,"data":\#(data)}"#) }
}

extension GatewayCall {
    var text: String { String(decoding: payload, as: UTF8.self) }
    var object: JSONObject { get throws { try JSONObject(parsing: payload) } }
}

extension APIResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
