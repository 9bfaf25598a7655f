enum OpenAPI { static let response = APIResponse(status: 200, body: Array("{}".utf8)) }
extension APIResponse { static let preflight = APIResponse(status: 204, body: []) }
