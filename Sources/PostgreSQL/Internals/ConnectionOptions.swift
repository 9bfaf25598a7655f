import CPostgreSQL

/// What a URI says, as libpq reads it.
enum ConnectionOptions {
    /// `PQconninfoParse`
    ///
    /// - Returns: by libpq's keywords, what the URI names.
    /// - Throws: ``PostgreSQLError/invalidSettings(_:)``
    static func parse(_ uri: String) throws(PostgreSQLError) -> [String: String] {
        var reason: UnsafeMutablePointer<CChar>? = nil
        guard let list = unsafe PQconninfoParse(uri, &reason) else {
            defer { unsafe PQfreemem(reason) }
            guard let reason = unsafe reason else { throw .outOfMemory }
            throw .invalidSettings(.malformed(reason: unsafe sentence(String(cString: reason))))
        }
        defer { unsafe PQconninfoFree(list) }
        var options: [String: String] = [:]
        // The list ends with an option without a keyword.
        var option = unsafe list
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe options[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return options
    }

    /// libpq's sentence without the text that it quotes at its end, which may be the whole URI with its password.
    private static func sentence(_ reason: String) -> String {
        guard let quotation = reason.firstRange(of: ": \"") else { return PrintableText.make(reason) }
        return PrintableText.make(String(reason[..<quotation.lowerBound]))
    }
}
