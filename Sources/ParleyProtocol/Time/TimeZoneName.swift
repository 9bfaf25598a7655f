extension JSONObject {
    /// An IANA name of a time zone, at most 64 characters. That there is such a zone is checked where the zones are known.
    package func timeZoneName(_ name: String) throws(Rejection) -> String? {
        guard let zone = try text(name, maximum: Limits.timeZoneCharacters) else { return nil }
        guard zone.consists(ofLettersDigitsAnd: "/_-+"), !zone.isEmpty, !zone.hasPrefix("/") else {
            throw .badRequest(name, "not an IANA name")
        }
        return zone
    }
}
