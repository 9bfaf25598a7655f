import ParleyProtocol

/// A resource of the REST interface, in the shape of the older apps' guide. Each operation of the gateway has a path,
/// too (``OperationTable``).
///
/// Routing, the methods of a path and the OpenAPI document come from the table of them, ``all``.
struct APIResource: Sendable {
    enum Parameter: Sendable {
        case idempotencyKey
        case path(FieldSchema)
        /// Fields of an operation.
        case fields([String], of: any Request.Type)
        case query(String, FieldSchema)
    }

    /// The body has the fields of a request, with a change.
    struct Body: Sendable {
        let request: any Request.Type
        var change: @Sendable (inout ObjectShape) -> Void = { _ in }
    }

    enum Reply: Sendable {
        case object(any GatewayObject.Type)
        /// An object that has no schema of its own in the document.
        case inline(any GatewayObject.Type)
        case document
    }

    enum Destination: Sendable {
        case call(APICall.Destination)
        case ticket
        case document
    }

    /// The id of its method in the OpenAPI document.
    let name: String
    let tag: String
    /// One sentence for the readers of the document.
    let summary: String
    let method: APIMethod
    /// Behind the base; `{id}` stands for the id of a user or of a conversation.
    let template: String
    /// The status of its success: 201 where it makes an object (RFC 9110 §15.3.2).
    var status = 200
    var parameters: [Parameter] = []
    var body: Body?
    let reply: Reply
    let destination: @Sendable (_ id: [UInt8], _ query: [UInt8]) throws(APIRefusal) -> Destination

    /// Before every path.
    static let base = "/api/v1/"
}

/// A part of a path's template.
private enum PathPart: Hashable, Sendable {
    case literal([UInt8])
    case id

    init(_ text: Substring) {
        self = text == "{id}" ? .id : .literal(Array(text.utf8))
    }
}

extension APIResource {
    private static let table = all.map { resource in
        (resource, resource.template.split(separator: "/").map { PathPart($0) })
    }

    /// The resources at a path, and the id in it. A path of literals alone takes precedence over one with an id.
    static func at(_ path: [[UInt8]]) -> (resources: [APIResource], id: [UInt8]) {
        var found: (resources: [APIResource], id: [UInt8]) = ([], [])
        for (resource, template) in table where template.count == path.count {
            var id: [UInt8]?
            let isMatch = zip(template, path).allSatisfy { part, level in
                switch part {
                case .literal(let text): return text == level
                case .id:
                    id = level
                    return true
                }
            }
            guard isMatch else { continue }
            if let id {
                guard found.resources.isEmpty || !found.id.isEmpty else { continue }
                found.id = id
            }
            found.resources.append(resource)
        }
        return found
    }
}
