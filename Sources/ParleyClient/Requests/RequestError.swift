import ParleyProtocol

/// Why a typed request failed.
public enum RequestError: Error, Sendable, CustomStringConvertible {
    /// Refused, and not carried out: by the gateway, or with `forbidden` or `too_large` by the broker.
    case refused(Rejection)
    /// No reply. Whether it was carried out is unknown; a repeat does nothing twice.
    case unanswered(NoReplyError)
    /// Carried out, but the reply is malformed.
    case unreadable(ReadingError)

    public var description: String {
        switch self {
        case .refused(let rejection): "\(rejection.code.rawValue): \(rejection.message)"
        case .unanswered(let failure): failure.description
        case .unreadable(let fault): "the gateway's reply cannot be read: \(fault)"
        }
    }
}

extension GatewayReply {
    func read<Value: GatewayValue>(as _: Value.Type = Value.self) throws(RequestError) -> Value {
        let data = try acceptedData()
        do throws(ReadingError) {
            return try Value(reading: data)
        } catch {
            throw .unreadable(error)
        }
    }

    func acceptedData() throws(RequestError) -> JSONObject {
        if let rejection { throw .refused(rejection) }
        guard let data else { throw .unreadable(.field("data: missing")) }
        return data
    }
}
