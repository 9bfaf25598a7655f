import HTTPTypes
import HummingbirdCore
import NIOCore
import ParleyProtocol

/// Serves the files of a page to everybody. What is in them is public; what they show comes by the API, with a token.
struct PageDoor: Sendable {
    let files: PageFiles

    /// Answers a request for a file or a path of the page.
    func respond(to request: WebRequest, with file: PageFiles.File, _ writer: consuming ResponseWriter) async throws {
        guard request.method == .get || request.method == .head else {
            let refusal = APIResponse(
                Rejection(.badRequest, "This path takes only GET, HEAD."), status: 405, allow: "GET, HEAD")
            DoorMetrics.shared.countResponse(refusal.status)
            var fields = refusal.fields
            fields.permitReading(by: nil)
            let head = HTTPResponse(status: .methodNotAllowed, headerFields: fields)
            return try await writer.write(
                response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: refusal.body)))
        }
        let gzip = AcceptedCodings(request.headers[values: .acceptEncoding]).hasGzip ? file.gzip : nil
        let form = gzip ?? file.plain
        var fields = PageDoor.policies
        fields[.eTag] = form.tag.text
        fields[.vary] = "Accept-Encoding"
        // Every use asks whether there is another (RFC 9111 §5.2.2.4), so that all files are of one version.
        fields[.cacheControl] = "no-cache"
        if form.tag.isNamed(byIfNoneMatch: request.headers[.ifNoneMatch]) {
            DoorMetrics.shared.countResponse(304)
            return try await writer.writeResponse(HTTPResponse(status: .notModified, headerFields: fields))
        }
        DoorMetrics.shared.countResponse(200)
        fields[.contentType] = file.type
        if gzip != nil { fields[.contentEncoding] = "gzip" }
        fields[.contentLength] = "\(form.bytes.readableBytes)"
        let head = HTTPResponse(status: .ok, headerFields: fields)
        guard request.method == .get else { return try await writer.writeResponse(head) }
        try await writer.write(response: head, body: ResponseBody(byteBuffer: form.bytes))
    }

    /// What a browser lets the page do: nothing from elsewhere, no code but that of its files (CSP level 3), and no
    /// text that becomes code (Trusted Types).
    private static let policies: HTTPFields = {
        var fields: HTTPFields = [
            .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; \
            connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types parley
            """,
        ]
        let others = [
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "microphone=(self), camera=(), geolocation=()"),
        ]
        for (name, value) in others {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()
}
