extension ISOWeek: JSONReadable {
    public func write(to writer: inout JSONWriter) { description.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> ISOWeek? {
        guard let text = try object.text(name, maximum: 8) else { return nil }
        guard let week = ISOWeek(text) else { throw .badRequest(name, "not a week like 2026-W03") }
        return week
    }

    public static var schema: FieldSchema {
        .text(8...8, FieldSchema.Pattern("^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$", example: "2026-W03"))
    }
}
