/// The requests that may have waited in the broker: all that come before a marker, which is a message of the gateway to
/// itself.
///
/// Several markers may be under way, also of an earlier process. Only the last one that was made ends the backlog.
struct RequestBacklog {
    /// Whether requests may have waited since the gateway was last connected.
    private(set) var isOpen = true
    /// Whether these are refused: other cells may have gone on without this one, and devices have asked them.
    private(set) var isRefused = false
    /// The payload of the last marker; `nil` where none was made since the gateway was connected.
    private var marker: [UInt8]?

    /// The gateway is connected anew.
    mutating func begin() { (isOpen, marker) = (true, nil) }

    /// From now on, until the next marker comes back, requests are refused.
    mutating func refuse() { (isOpen, isRefused, marker) = (true, true, nil) }

    /// - Returns: the payload of a marker, to be published now. Requests behind it are new.
    mutating func makeMarker() -> [UInt8] {
        let marker = Array(String(UInt64.random(in: .min ... .max), radix: 36).utf8)
        self.marker = marker
        return marker
    }

    /// A marker has come back.
    mutating func end(at marker: [UInt8]) {
        guard marker == self.marker else { return }
        (isOpen, isRefused, self.marker) = (false, false, nil)
    }
}
