/// What a file of certificates in PEM says of its first one, the server's own.
package enum CertificateFile {
    /// The most bytes of a file that is looked at.
    package static let maximumBytes = 1 << 20

    /// When the first certificate ends (`notAfter`, RFC 5280 §4.1.2.5); `nil` where there is none that can be read.
    package static func end(pem: [UInt8]) -> Timestamp? {
        guard let body = firstBody(of: pem), let der = Base64.decode(body.span) else { return nil }
        return end(der: der)
    }

    /// The file that the door's configuration names, by its first line `bind … ssl crt 'FILE'`; `nil` where none does.
    package static func path(in configuration: String) -> String? {
        for line in configuration.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix("bind "), let start = line.firstRange(of: " crt ") else { continue }
            let rest = line[start.upperBound...]
            let file = rest.first == "'" ? rest.dropFirst().prefix { $0 != "'" } : rest.prefix { $0 != " " }
            return file.isEmpty ? nil : String(file)
        }
        return nil
    }

    /// The base64 between the lines around the first certificate.
    private static func firstBody(of pem: [UInt8]) -> [UInt8]? {
        var body: [UInt8]?
        for line in pem.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            if line.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) {
                body = []
            } else if line.elementsEqual("-----END CERTIFICATE-----".utf8) {
                return body
            } else {
                body?.append(contentsOf: line.filter { $0 != UInt8(ascii: " ") })
            }
        }
        return nil
    }

    private static func end(der: [UInt8]) -> Timestamp? {
        var outer = DERReader(der[...])
        guard var certificate = outer.sequence(), var fields = certificate.sequence() else { return nil }
        // The version, where there is one; serial number, algorithm and issuer.
        if fields.tag == 0xA0 { fields.skip() }
        for _ in 0..<3 { fields.skip() }
        guard var validity = fields.sequence() else { return nil }
        validity.skip()
        return validity.time()
    }
}

/// Reads DER (X.690), one element after the other.
private struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var tag: UInt8? { rest.first }

    /// The next element's tag and content; `nil` at the end, and where it is not whole.
    mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...3).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }

    mutating func skip() { _ = next() }

    mutating func sequence() -> DERReader? {
        guard let element = next(), element.tag == 0x30 else { return nil }
        return DERReader(element.content)
    }

    /// UTCTime, `YYMMDDHHMMSSZ` of 1950 to 2049, or GeneralizedTime, `YYYYMMDDHHMMSSZ`.
    mutating func time() -> Timestamp? {
        guard let element = next(), element.content.last == UInt8(ascii: "Z") else { return nil }
        var digits = String(decoding: element.content.dropLast(), as: UTF8.self)
        switch (element.tag, digits.utf8.count) {
        case (0x17, 12): digits = (digits < "50" ? "20" : "19") + digits
        case (0x18, 14): break
        default: return nil
        }
        let parts = Array(digits.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: parts[range], as: UTF8.self) }
        return Timestamp(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14)).000Z")
    }
}
