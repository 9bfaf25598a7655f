import ParleyProtocol

/// A data message for Google's push service, by its HTTP v1 API (`messages:send`).
enum FCM {
    /// Of the data, its key included, in bytes.
    static let dataLimit = 4096
    static let key = "parley"

    static func request(
        _ delivery: PushDelivery, token: String, project: String, url: String, authorization: String
    ) -> PushRequest {
        PushRequest(
            url: "\(url)/v1/projects/\(project)/messages:send",
            headers: ["Content-Type": "application/json", "Authorization": authorization],
            body: body(delivery, token: token))
    }

    static func body(_ delivery: PushDelivery, token: String) -> [UInt8] {
        let object = delivery.notification.json(fitting: dataLimit - key.utf8.count)
        return JSONWriter.object { body in
            body.member("message") { message in
                message.member("token", token)
                message.member("data", object: { $0.member(key, String(decoding: object, as: UTF8.self)) })
                message.member("android") { android in
                    android.member("priority", delivery.urgency == .high ? "HIGH" : "NORMAL")
                    android.member("ttl", "\(delivery.secondsToLive)s")
                    if let collapse = delivery.collapse { android.member("collapse_key", collapse.description) }
                }
            }
        }
    }
}
