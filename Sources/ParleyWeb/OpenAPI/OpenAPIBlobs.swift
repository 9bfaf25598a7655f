import HTTPTypes
import ParleyProtocol

/// The methods by which the bytes of blobs go up and come down, which are tus and HTTP and no operations.
enum OpenAPIBlobs {
    /// - Parameter idSchema: of the id in the path.
    static func methods(id idSchema: JSONElement) -> [(path: String, name: String, method: JSONElement)] {
        let id = parameter("id", in: "path", idSchema)
        let tus = header(Tus.resumable.rawName, .object(("const", .string(Tus.version))))
        let count = JSONElement.object(("type", .string("integer")), ("minimum", .number(0)))
        let text = JSONElement.object(("type", .string("string")))
        let optionalText = { (name: String) in parameter(name, in: "header", text, isRequired: false) }
        return [
            (
                "blobs", "post",
                method(
                    "blobs_upload", "Begins an upload, by tus 1.0.0. A repeat finds the same.",
                    [
                        tus, header(Tus.length.rawName, count),
                        header(
                            Tus.metadata.rawName, text,
                            "`id`, `conversation_id` and `digest`, the SHA-256 of the sealed bytes, each with its value "
                                + "in base64."),
                    ], responses([201: "The upload is begun; `Location` is where its bytes go."], [412, 507]))
            ),
            (
                "blobs/{id}", "head",
                method(
                    "blobs_offset",
                    "With `Tus-Resumable`, tells how much of an upload has come; without, what GET tells of a blob.",
                    [id, parameter(Tus.resumable.rawName, in: "header", text, isRequired: false)],
                    bodiless(
                        [200: "Done.", 304: "The blob is the one that is named."], OpenAPIErrors.statuses + [412]))
            ),
            (
                "blobs/{id}", "patch",
                method(
                    "blobs_append", "Appends bytes to an upload. The answer to the last comes when all is stored.",
                    [id, tus, header(Tus.offset.rawName, count)],
                    responses([204: "`Upload-Offset` is where the upload stands."], [412, 422, 423, 507]),
                    body: .object(
                        ("required", .literal("true")), ("content", .object((Tus.contentType, .object([]))))))
            ),
            (
                "blobs/{id}", "get",
                method(
                    "blobs_download", "Reads a blob, or one range of it.",
                    [id, optionalText("Range"), optionalText("If-Range"), optionalText("If-None-Match")],
                    responses(
                        [200: "All of it.", 206: "The range.", 304: "The blob is the one that is named."], [416],
                        content: .object(("application/octet-stream", .object([])))))
            ),
            (
                "blobs/{id}", "delete",
                method(
                    "blobs_terminate", "Removes an upload, or a blob that no message names.", [id, tus],
                    responses([204: "Done."], [412]))
            ),
        ]
    }

    private static let meanings = [
        412: "`Tus-Resumable` is another version, or missing.", 416: "The blob is not so long.",
        422: "The bytes have another digest; the upload is at 0 again.", 423: "Another request writes to the upload.",
        507: "There is no space now; what has come stays.",
    ]

    // MARK: Elements

    private static func method(
        _ name: String, _ summary: String, _ parameters: [JSONElement], _ responses: JSONElement,
        body: JSONElement? = nil
    ) -> JSONElement {
        var method = JSONElement.object(
            ("operationId", .string(name)), ("tags", .strings(["blobs"])), ("summary", .string(summary)),
            ("parameters", .array(parameters)))
        if let body { method.append("requestBody", body) }
        method.append("responses", responses)
        return method
    }

    private static func header(_ name: String, _ schema: JSONElement, _ description: String? = nil) -> JSONElement {
        parameter(name, in: "header", schema, description)
    }

    private static func parameter(
        _ name: String, in place: String, _ schema: JSONElement, _ description: String? = nil, isRequired: Bool = true
    ) -> JSONElement {
        var parameter = JSONElement.object(
            ("name", .string(name)), ("in", .string(place)), ("required", .literal("\(isRequired)")))
        if let description { parameter.append("description", .string(description)) }
        parameter.append("schema", schema)
        return parameter
    }

    /// - Parameters:
    ///   - successes: by their status.
    ///   - refusals: beside those of all methods.
    ///   - content: of successes.
    private static func responses(
        _ successes: [Int: String], _ refusals: [Int], content: JSONElement? = nil
    ) -> JSONElement {
        let own = successes.sorted { $0.key < $1.key }.map { status, description in
            var response = JSONElement.object(("description", .string(description)))
            if let content, status < 300 { response.append("content", content) }
            return JSONElement.Member(key: "\(status)", value: response)
        }
        let refused = refusals.map { status in
            let response = JSONElement.object(
                ("description", .string(meanings[status] ?? "")), ("content", .json(.reference("Error"))))
            return JSONElement.Member(key: "\(status)", value: response)
        }
        return .object(own + OpenAPIErrors.references + refused)
    }

    /// The responses to HEAD.
    private static func bodiless(_ successes: [Int: String], _ refusals: [Int]) -> JSONElement {
        let all = successes.merging(refusals.map { ($0, "Refused.") }) { meaning, _ in meaning }
        return .object(
            all.sorted { $0.key < $1.key }.map { status, description in
                JSONElement.Member(key: "\(status)", value: .object(("description", .string(description))))
            })
    }
}
