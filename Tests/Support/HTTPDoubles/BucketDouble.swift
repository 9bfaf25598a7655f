import Foundation

/// The bucket of an ``ObjectStorageDouble``.
package struct BucketDouble: Sendable {
    package enum Operation: Hashable, Sendable, CaseIterable {
        case put, copy, head, get, delete, list
        case createUpload, copyPart, completeUpload, abortUpload, listUploads
    }

    struct Object: Sendable {
        let bytes: [UInt8]
        let tag: String
        let changed: String
    }

    private struct Upload: Sendable {
        let name: String
        let begun: String
        var parts: [Int: Object] = [:]
    }

    struct Answer {
        var status = 200
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        /// The length that HEAD tells.
        var size: Int?

        init(_ status: Int, code: String? = nil) {
            self.status = status
            if let code { body = Array("<Error><Code>\(code)</Code></Error>".utf8) }
        }

        init(document: String) { body = Array(document.utf8) }
    }

    private(set) var objects: [String: Object] = [:]
    private var uploads: [String: Upload] = [:]
    private var count = 0

    /// Each write has a tag of its own.
    private mutating func object(_ bytes: [UInt8]) -> Object {
        count += 1
        return Object(bytes: bytes, tag: "\"tag-\(count)\"", changed: Date.now.ISO8601Format())
    }

    mutating func perform(_ operation: Operation, _ request: HTTPDouble.Request) -> Answer {
        let target = Target(request.path)
        switch operation {
        case .put: return put(object(request.body), as: target.name)
        case .copy: return copy(request, as: target.name)
        case .head, .get: return get(request, target.name, isHead: operation == .head)
        case .delete:
            objects[target.name] = nil
            return Answer(204)
        case .list: return list(target)
        case .createUpload:
            count += 1
            uploads["upload-\(count)"] = Upload(name: target.name, begun: Date.now.ISO8601Format())
            return document("InitiateMultipartUploadResult", "<UploadId>upload-\(count)</UploadId>")
        case .copyPart: return copyPart(request, target)
        case .completeUpload: return complete(request, target)
        case .abortUpload:
            return uploads.removeValue(forKey: target["uploadId"]) == nil
                ? Answer(404, code: "NoSuchUpload") : Answer(204)
        case .listUploads:
            let entries = uploads.filter { $0.value.name.hasPrefix(target["prefix"]) }.map { id, upload in
                "<Upload><Key>\(upload.name)</Key><UploadId>\(id)</UploadId>"
                    + "<Initiated>\(upload.begun)</Initiated></Upload>"
            }
            return document("ListMultipartUploadsResult", entries.joined())
        }
    }

    private func document(_ root: String, _ content: String) -> Answer {
        Answer(document: "<?xml version=\"1.0\"?>\n<\(root)>\(content)</\(root)>")
    }

    private mutating func put(_ object: Object, as name: String) -> Answer {
        objects[name] = object
        var answer = Answer(200)
        answer.fields["ETag"] = object.tag
        return answer
    }

    private func get(_ request: HTTPDouble.Request, _ name: String, isHead: Bool) -> Answer {
        guard let object = objects[name] else { return Answer(404, code: isHead ? nil : "NoSuchKey") }
        if let tag = request["if-match"], tag != object.tag { return Answer(412, code: "PreconditionFailed") }
        var answer = Answer(200)
        answer.fields["ETag"] = object.tag
        answer.size = isHead ? object.bytes.count : nil
        answer.body = isHead ? [] : object.bytes
        guard !isHead, let bounds = request["range"]?.dropFirst("bytes=".count).split(separator: "-"),
            bounds.count == 2, let first = Int(bounds[0]), let last = Int(bounds[1]), first <= last
        else { return answer }
        guard first < object.bytes.count else { return Answer(416, code: "InvalidRange") }
        answer.status = 206
        answer.body = Array(object.bytes[first...min(last, object.bytes.count - 1)])
        return answer
    }

    private func list(_ target: Target) -> Answer {
        let names = objects.keys.filter { $0.hasPrefix(target["prefix"]) && $0 > target["start-after"] }.sorted()
        let page = names.prefix(Int(target["max-keys"]) ?? 1000)
        let entries = page.map { name in
            let object = objects[name]
            return "<Contents><Key>\(name)</Key><LastModified>\(object?.changed ?? "")</LastModified><ETag>"
                + "\(object?.tag.replacing("\"", with: "&quot;") ?? "")</ETag>"
                + "<Size>\(object?.bytes.count ?? 0)</Size></Contents>"
        }
        return document(
            "ListBucketResult", "<IsTruncated>\(page.count < names.count)</IsTruncated>\(entries.joined())")
    }

    // MARK: Copies

    /// The source of a copy, if it is there with the tag that is asked for.
    private func source(_ request: HTTPDouble.Request) -> Result<Object, Refusal> {
        let path = request["x-amz-copy-source"] ?? ""
        guard let object = objects[Target(path).name] else { return .failure(Refusal(Answer(404, code: "NoSuchKey"))) }
        guard request["x-amz-copy-source-if-match"] ?? object.tag == object.tag else {
            return .failure(Refusal(Answer(412, code: "PreconditionFailed")))
        }
        return .success(object)
    }

    private struct Refusal: Error {
        let answer: Answer

        init(_ answer: Answer) { self.answer = answer }
    }

    private mutating func copy(_ request: HTTPDouble.Request, as name: String) -> Answer {
        switch source(request) {
        case .failure(let refusal): return refusal.answer
        case .success(let source):
            let copy = object(source.bytes)
            objects[name] = copy
            return document("CopyObjectResult", "<ETag>\(copy.tag)</ETag>")
        }
    }

    private mutating func copyPart(_ request: HTTPDouble.Request, _ target: Target) -> Answer {
        guard uploads[target["uploadId"]] != nil, let number = Int(target["partNumber"]) else {
            return Answer(404, code: "NoSuchUpload")
        }
        switch source(request) {
        case .failure(let refusal): return refusal.answer
        case .success(let source):
            let part = object(source.bytes)
            uploads[target["uploadId"]]?.parts[number] = part
            return document("CopyPartResult", "<ETag>\(part.tag)</ETag>")
        }
    }

    private mutating func complete(_ request: HTTPDouble.Request, _ target: Target) -> Answer {
        guard let upload = uploads[target["uploadId"]] else { return Answer(404, code: "NoSuchUpload") }
        let text = String(decoding: request.body, as: UTF8.self).replacing("&quot;", with: "\"")
        let named = text.matches(of: /<PartNumber>([0-9]+)<\/PartNumber><ETag>([^<]*)<\/ETag>/)
        var bytes: [UInt8] = []
        for (index, match) in named.enumerated() {
            guard let part = upload.parts[Int(match.1) ?? 0], part.tag == match.2 else {
                return Answer(400, code: "InvalidPart")
            }
            guard part.bytes.count >= 5 << 20 || index == named.count - 1 else {
                return Answer(400, code: "EntityTooSmall")
            }
            bytes += part.bytes
        }
        uploads[target["uploadId"]] = nil
        let whole = object(bytes)
        objects[target.name] = whole
        return document("CompleteMultipartUploadResult", "<ETag>\(whole.tag)</ETag>")
    }
}

extension BucketDouble {
    /// `/BUCKET/NAME?KEY=VALUE…`
    struct Target {
        let name: String
        private let values: [String: String]

        init(_ path: String) {
            let parts = path.split(separator: "?", maxSplits: 1)
            name = parts[0].split(separator: "/", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
            var values: [String: String] = [:]
            for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
                let sides = pair.split(separator: "=", maxSplits: 1)
                values[String(sides[0])] = sides.count > 1 ? String(sides[1]).removingPercentEncoding ?? "" : ""
            }
            self.values = values
        }

        subscript(key: String) -> String { values[key] ?? "" }

        func has(_ key: String) -> Bool { values[key] != nil }
    }
}

extension BucketDouble.Operation {
    init?(_ request: HTTPDouble.Request) {
        let target = BucketDouble.Target(request.path)
        let hasSource = request["x-amz-copy-source"] != nil
        switch request.head.prefix(while: { $0 != " " }) {
        case "PUT": self = target.has("uploadId") ? .copyPart : hasSource ? .copy : .put
        case "HEAD": self = .head
        case "GET": self = !target.name.isEmpty ? .get : target.has("uploads") ? .listUploads : .list
        case "DELETE": self = target.has("uploadId") ? .abortUpload : .delete
        case "POST": self = target.has("uploads") ? .createUpload : .completeUpload
        default: return nil
        }
    }
}
