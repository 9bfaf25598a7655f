import ParleyProtocol
import Sodium

/// A webhook (protocol §7): the object, signed, as the body of a POST.
enum Webhook {
    /// In bytes.
    static let bodyLimit = 4096

    static func request(_ delivery: PushDelivery, to endpoint: WebURL, secret: String) -> PushRequest {
        let body = delivery.notification.json(fitting: bodyLimit)
        var request = PushRequest(
            url: endpoint.url,
            headers: [
                "Content-Type": "application/json", "User-Agent": "Parley",
                "Parley-Id": delivery.notification.id.description,
            ],
            body: body)
        // Without memory for a signature the receiver refuses the request.
        request.add("Parley-Signature", try? signature(of: body, at: delivery.now, secret: secret))
        return request
    }

    /// `t=UNIX_SECONDS,v1=HEX`, HMAC-SHA256 over `UNIX_SECONDS.BODY`.
    static func signature(of body: [UInt8], at now: Timestamp, secret: String) throws(SodiumError) -> String {
        let seconds = String(now.milliseconds / 1000)
        let (key, time) = (Array(secret.utf8), Array(seconds.utf8) + [UInt8(ascii: ".")])
        var authenticator = try HMACSHA256(key: key.span)
        try authenticator.update(time.span)
        try authenticator.update(body.span)
        let digits = try authenticator.finish().withBytes(Hexadecimal.text)
        return "t=\(seconds),v1=\(digits)"
    }
}

enum Hexadecimal {
    /// Two digits in lower case for each byte.
    static func text(_ bytes: Span<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.indices.flatMap { [digits[Int(bytes[$0] >> 4)], digits[Int(bytes[$0] & 0x0F)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
