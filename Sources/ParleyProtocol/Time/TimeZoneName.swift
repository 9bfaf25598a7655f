extension JSONObject {
    /// An IANA name of a time zone, at most 64 characters. That there is such a zone is checked where the zones are known.
    package func timeZoneName(_ name: String) throws(Rejection) -> String? {
        guard let zone = try text(name, maximum: Limits.timeZoneCharacters) else { return nil }
        let isName = zone.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "+"):
                true
            default: false
            }
        }
        guard isName, !zone.isEmpty, !zone.hasPrefix("/") else { throw .badRequest(name, "not an IANA name") }
        return zone
    }
}
