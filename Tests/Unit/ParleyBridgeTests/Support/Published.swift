import Foundation
import MQTTClient
import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

/// One event or reply, as whoever receives it sees it.
struct Published {
    let topic: String
    let payload: [UInt8]
    let position: StreamPosition?
    let qos: QoS
    let isRetained: Bool
    let correlationData: [UInt8]?

    private let json: [String: Any]

    init(_ item: Outgoing.Item, of outgoing: Outgoing) throws {
        let message = item.message
        topic = String(decoding: outgoing.bytes[message.topic], as: UTF8.self)
        payload = Array(outgoing.bytes[message.payload])
        position = item.position
        qos = message.qos
        isRetained = message.isRetained
        correlationData = message.correlationData.map { Array(outgoing.bytes[$0]) }
        json = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    /// The type of an event; `nil` for a reply.
    var event: String? { json["type"] as? String }
    /// Whether a reply is `ok`; `nil` for an event.
    var isOK: Bool? { json["ok"] as? Bool }
    var code: String? { (json["error"] as? [String: Any])?["code"] as? String }
    /// The sentence of a rejection.
    var message: String? { (json["error"] as? [String: Any])?["message"] as? String }
    /// In milliseconds.
    var retryAfter: Int? { (json["error"] as? [String: Any])?["retry_after_ms"] as? Int }
    /// `user/device` of those that `stale_devices` names.
    var missing: [String] { devices("missing") }
    var extra: [String] { devices("extra") }
    var data: [String: Any] { json["data"] as? [String: Any] ?? [:] }

    /// The data of a reply as a device reads them.
    func value<Value: GatewayValue>(_ type: Value.Type = Value.self) throws -> Value {
        try Value(reading: try #require(try JSONObject(parsing: payload).object("data")))
    }

    private func devices(_ list: String) -> [String] {
        let devices = (json["error"] as? [String: Any])?[list] as? [[String: String]] ?? []
        return devices.map { "\($0["user_id"] ?? "")/\($0["device_id"] ?? "")" }
    }

    var seq: Int? { data["seq"] as? Int }
}

extension Outgoing {
    /// Without what takes back something retained, which says nothing.
    var published: [Published] {
        get throws { try items.filter { !$0.message.payload.isEmpty }.map { try Published($0, of: self) } }
    }
    var replies: [Published] { get throws { try published.filter { $0.isOK != nil } } }
    var events: [Published] { get throws { try published.filter { $0.event != nil } } }
}
