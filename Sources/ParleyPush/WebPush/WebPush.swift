import ParleyProtocol
import Sodium

/// A push message for a browser or a distributor of UnifiedPush (RFC 8030).
enum WebPush {
    static func request(
        _ delivery: PushDelivery, to endpoint: WebURL, p256dh: [UInt8], auth: [UInt8], authorization: String,
        _ entropy: WebPushCipher.Entropy
    ) throws(WebPushError) -> PushRequest {
        let content = delivery.notification.json(fitting: WebPushCipher.contentLimit)
        let body = try WebPushCipher.seal(
            content, padding: WebPushCipher.padding(for: content.count), p256dh: p256dh, auth: auth, entropy)
        var request = PushRequest(
            url: endpoint.url,
            headers: [
                "Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm", "User-Agent": "Parley",
                "Authorization": authorization, "TTL": String(delivery.secondsToLive),
                "Urgency": urgency(delivery.urgency),
            ],
            body: body)
        request.add("Topic", delivery.collapse.flatMap { topic($0, auth: auth) })
        return request
    }

    /// The topic, by which a message replaces an earlier one that the service still has (RFC 8030 §5.4): the first 32
    /// characters of base64url of BLAKE2b-256 of the conversation's id as text, keyed by the subscription's `auth`. The
    /// id of a direct conversation follows from its members, so that without the key a push service could guess it.
    static func topic(_ conversation: ConversationID, auth: [UInt8]) -> String? {
        let text = Array(conversation.description.utf8)
        guard let digest = try? BLAKE2b.hash(text.span, length: .bytes32, key: auth.span) else { return nil }
        return String(Base64URL.text(of: digest.span).prefix(32))
    }

    /// RFC 8030 §5.3
    private static func urgency(_ urgency: PushUrgency) -> String {
        switch urgency {
        case .high: "high"
        case .normal: "normal"
        case .low: "low"
        }
    }
}
