package struct HTTPRequest: Sendable {
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    enum Method: Hashable, Sendable {
        case get, head, post, patch, put, delete
    }

    let method: Method
    let url: String
    let headers: [Header]
    let body: [UInt8]

    private init(_ method: Method, url: String, headers: [Header], body: [UInt8]) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    package static func get(url: String, headers: [Header] = []) -> HTTPRequest {
        HTTPRequest(.get, url: url, headers: headers, body: [])
    }

    /// Its answer has no body.
    package static func head(url: String, headers: [Header] = []) -> HTTPRequest {
        HTTPRequest(.head, url: url, headers: headers, body: [])
    }

    package static func patch(url: String, headers: [Header], body: [UInt8]) -> HTTPRequest {
        HTTPRequest(.patch, url: url, headers: headers, body: body)
    }

    package static func post(url: String, headers: [Header], body: [UInt8]) -> HTTPRequest {
        HTTPRequest(.post, url: url, headers: headers, body: body)
    }

    package static func put(url: String, headers: [Header], body: [UInt8]) -> HTTPRequest {
        HTTPRequest(.put, url: url, headers: headers, body: body)
    }

    package static func delete(url: String, headers: [Header] = []) -> HTTPRequest {
        HTTPRequest(.delete, url: url, headers: headers, body: [])
    }

    /// Whether no URL, name or value contains a byte that ends a line or a C string.
    var isWritable: Bool {
        !url.isEmpty && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && headers.allSatisfy { header in
                !header.name.isEmpty
                    && header.name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
                    && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            }
    }

    /// For development: without TLS and HTTP/2.
    var isPlain: Bool { url.hasPrefix("http://") }
}

/// The requests to one origin share connections.
package enum HTTPOrigin: Hashable, Sendable {
    /// A service of the operator's, at whatever address its name has when a connection is made.
    case service(String)
    /// A host named by a device, only at an address that was judged.
    case host(String, at: IPAddress)

    /// `nil` if the system's resolver finds the address.
    var address: IPAddress? {
        switch self {
        case .service: nil
        case .host(_, let address): address
        }
    }
}
