import ParleyProtocol

/// Why a typed request gave no value.
public enum RequestError: Error, Sendable {
    /// It was refused, and nothing was done: by the gateway, or with `forbidden` or `too_large` by the broker.
    case refused(Rejection)
    /// There is no reply. Whether it was carried out is not known; making it again does nothing twice.
    case unanswered(NoReplyError)
    /// It was carried out, and the reply does not hold what it should.
    case unreadable(ReadingError)
}

extension RequestError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let rejection): "\(rejection.code.rawValue): \(rejection.message)"
        case .unanswered(let failure): failure.description
        case .unreadable(let fault): "the gateway's reply cannot be read: \(fault)"
        }
    }
}

extension GatewayReply {
    /// What an accepted request gave.
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
