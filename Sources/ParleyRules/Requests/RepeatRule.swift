import ParleyProtocol

/// Decides whether a request with an id that was used before is the same request again.
package enum RepeatRule {
    /// - Parameters:
    ///   - digest: of the request.
    ///   - first: of the request that has used the id; `nil` for one of another kind.
    /// - Throws: `conflict` for other content.
    package static func check(_ digest: [UInt8], of first: [UInt8]?) throws(Rejection) {
        guard first == digest else { throw .idTaken }
    }
}
