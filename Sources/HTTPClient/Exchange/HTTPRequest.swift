/// A POST.
package struct HTTPRequest: Sendable {
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    let url: String
    let headers: [Header]
    let body: [UInt8]

    package init(url: String, headers: [Header], body: [UInt8]) {
        (self.url, self.headers, self.body) = (url, headers, body)
    }

    /// Whether it can be written as it is meant: in no URL, name or value is a byte that ends a line or a text of C.
    var isWritable: Bool {
        !url.isEmpty && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && headers.allSatisfy { header in
                !header.name.isEmpty
                    && header.name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
                    && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            }
    }

    /// In clear text, for development: no TLS, and no HTTP/2.
    var isPlain: Bool { url.hasPrefix("http://") }
}

/// Who shares connections.
package enum HTTPPlace: Hashable, Sendable {
    /// A service that the operator has named, at whatever its name stands for when a connection is made.
    case service(String)
    /// A host that a device has named, at an address that was judged, and at no other.
    case host(String, at: IPAddress)

    /// `nil` for one that the system's resolver finds.
    var address: IPAddress? {
        switch self {
        case .service: nil
        case .host(_, let address): address
        }
    }
}
