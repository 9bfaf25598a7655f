import ParleyProtocol

/// A notification for Apple's push service, over HTTP/2.
enum APNs {
    /// Of the whole payload, in bytes.
    static let payloadLimit = 4096

    static func request(
        _ delivery: PushDelivery, token: String, topic: String, url: String, authorization: String
    ) -> PushRequest {
        var request = PushRequest(
            url: "\(url)/3/device/\(token)",
            headers: [
                "authorization": authorization, "apns-topic": topic,
                "apns-push-type": isBackground(delivery) ? "background" : "alert",
                "apns-id": delivery.notification.id.description,
                "apns-expiration": String(max(0, delivery.notification.expiresAt.milliseconds / 1000)),
                // A push in the background must have 5.
                "apns-priority": delivery.urgency == .high && !isBackground(delivery) ? "10" : "5",
            ],
            body: payload(delivery))
        request.add("apns-collapse-id", delivery.collapse?.description)
        return request
    }

    /// The object under `parley`, as much of it as fits beside `aps`, which the system reads.
    static func payload(_ delivery: PushDelivery) -> [UInt8] {
        let start = Array(#"{"aps":"#.utf8) + systemPart(delivery) + Array(#","parley":"#.utf8)
        let object = delivery.notification.json(fitting: payloadLimit - start.count - 1)
        return start + object + [UInt8(ascii: "}")]
    }

    private static func systemPart(_ delivery: PushDelivery) -> [UInt8] {
        let notification = delivery.notification
        return JSONWriter.object { aps in
            // The system ignores all else in the background; the badge is in the object.
            guard !isBackground(delivery) else {
                aps.member("content-available", 1)
                return
            }
            aps.member("badge", notification.badge.number)
            aps.member("alert", object: { $0.member("title-loc-key", titleKey(notification.type.value)) })
            aps.member("mutable-content", 1)
            aps.member("sound", "default")
            if let conversation = notification.subject.conversation {
                aps.member("thread-id", conversation.description)
            }
        }
    }

    /// The key of the app's own text, shown until the app has opened the notification.
    private static func titleKey(_ type: PushType?) -> String {
        switch type {
        case .message, .digest, .wakeUp, .clear, .feed(.messageRequest): "PARLEY_MESSAGE"
        case .test, .feed, nil: "PARLEY_NOTIFICATION"
        }
    }

    private static func isBackground(_ delivery: PushDelivery) -> Bool { delivery.notification.type.value == .clear }
}
