import ParleyProtocol

/// Decides whether a request with an id that was used before is the same request again.
package enum RepeatRule {
    /// - Parameters:
    ///   - digest: what the request is.
    ///   - first: what the request was that has used the id; `nil` if it was of another kind.
    /// - Throws: `conflict` for other content.
    package static func check(_ digest: [UInt8], of first: [UInt8]?) throws(Rejection) {
        guard first == digest else { throw .idTaken }
    }
}
