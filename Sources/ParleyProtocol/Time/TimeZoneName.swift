/// An IANA name of a time zone, at most 64 characters. Its existence is checked where the zone is used.
struct TimeZoneForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> String? {
        guard let zone = try object.text(name, maximum: Limits.timeZoneCharacters) else { return nil }
        guard zone.consists(ofLettersDigitsAnd: "/_-+"), !zone.isEmpty, !zone.hasPrefix("/") else {
            throw .badRequest(name, "not an IANA name")
        }
        return zone
    }

    func write(_ value: String, to writer: inout JSONWriter) { value.write(to: &writer) }

    var schema: FieldSchema {
        .text(
            1...Limits.timeZoneCharacters,
            FieldSchema.Pattern("^[A-Za-z0-9_+-][A-Za-z0-9/_+-]*$", example: "Europe/Berlin"))
    }
}
