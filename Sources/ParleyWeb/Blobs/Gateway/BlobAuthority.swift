import Metrics
import NIOCore
import ParleyProtocol

/// Decides which blobs there are and who may have them: the gateway, asked with the caller's own token.
protocol BlobAuthority: Sendable {
    func create(_ request: CreateBlob, by token: SessionToken) async throws(BlobRefusal) -> Blob
    func blob(_ id: BlobID, for token: SessionToken) async throws(BlobRefusal) -> Blob
    func delete(_ id: BlobID, by token: SessionToken) async throws(BlobRefusal)

    /// Asks by the door's own device.
    func collect(_ request: CollectBlobs) async throws(BlobRefusal) -> BlobCollection
}

/// A refusal, in the form in which the client gets it.
struct BlobRefusal: Error, Hashable, Sendable {
    let response: APIResponse

    init(_ response: APIResponse) { self.response = response }
    init(_ refusal: APIRefusal) { response = refusal.response }
    init(_ rejection: Rejection, status: Int? = nil) { response = APIResponse(rejection, status: status) }
}

/// The gateway, over the sessions of the callers' tokens.
struct GatewayBlobs: BlobAuthority {
    let sessions: Sessions
    /// `nil` for a door without a device of its own.
    let device: DoorDevice?

    func create(_ request: CreateBlob, by token: SessionToken) async throws(BlobRefusal) -> Blob {
        try read(try await ask(CreateBlob.self, request.payload(), token))
    }

    func blob(_ id: BlobID, for token: SessionToken) async throws(BlobRefusal) -> Blob {
        try read(try await ask(GetBlob.self, GetBlob(id: id).payload(), token))
    }

    func delete(_ id: BlobID, by token: SessionToken) async throws(BlobRefusal) {
        _ = try await ask(DeleteBlob.self, DeleteBlob(id: id).payload(), token)
    }

    func collect(_ request: CollectBlobs) async throws(BlobRefusal) -> BlobCollection {
        guard let device else { throw BlobRefusal(.unavailable) }
        do {
            let call = try GatewayCall(CollectBlobs.self, request.payload(), .reply)
            return try read(try GatewayBlobs.accepted(try await device.ask(call), call))
        } catch let error as APIRefusal {
            throw BlobRefusal(error)
        } catch {
            throw error as? BlobRefusal ?? BlobRefusal(.unavailable)
        }
    }

    /// - Returns: the reply of a request that was accepted.
    private func ask(
        _ request: any Request.Type, _ payload: [UInt8], _ token: SessionToken
    ) async throws(BlobRefusal) -> [UInt8] {
        do {
            let call = try GatewayCall(request, payload, .reply)
            let began = NIODeadline.now()
            let reply = try await sessions.session(of: token).request(call.operation, call.payload)
            DoorMetrics.shared.requestTime.recordNanoseconds((NIODeadline.now() - began).nanoseconds)
            return try GatewayBlobs.accepted(reply, call)
        } catch let error as SessionEnd {
            throw BlobRefusal(error.rejection)
        } catch let error as APIRefusal {
            throw BlobRefusal(error)
        } catch {
            throw error as? BlobRefusal ?? BlobRefusal(.unavailable)
        }
    }

    private static func accepted(_ reply: [UInt8], _ call: GatewayCall) throws(BlobRefusal) -> [UInt8] {
        let response = call.response(to: reply)
        guard response.status == 200 else { throw BlobRefusal(response) }
        return reply
    }

    private func read<Object: GatewayObject>(_ reply: [UInt8]) throws(BlobRefusal) -> Object {
        guard let data = try? JSONObject(parsing: reply).object("data"), let object = try? Object(members: data) else {
            throw BlobRefusal(.internalFault)
        }
        return object
    }
}
