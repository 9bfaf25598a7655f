import HTTPTypes

extension APIResponse {
    /// The fields of its head, with the length of the body.
    var fields: HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(6)
        for (name, value) in headers {
            if let name = APIResponse.names[name] ?? HTTPField.Name(name) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        fields.append(HTTPField(name: .contentLength, value: String(body.count)))
        return fields
    }

    /// Of the usual fields, read once.
    private static let names: [String: HTTPField.Name] = [
        "Content-Type": .contentType, "Cache-Control": .cacheControl, "Retry-After": .retryAfter, "Allow": .allow,
        "WWW-Authenticate": .wwwAuthenticate,
    ]
}
