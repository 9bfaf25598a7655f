extension CivilDay: JSONReadable {
    public func write(to writer: inout JSONWriter) { description.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> CivilDay? {
        guard let text = try object.text(name, maximum: 10) else { return nil }
        guard let day = CivilDay(text) else { throw .badRequest(name, "not a day like 2026-01-15") }
        return day
    }

    public static var schema: FieldSchema {
        let pattern = FieldSchema.Pattern(
            "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", format: "date", example: "2026-01-15")
        return .text(10...10, pattern)
    }
}
