import ParleyProtocol
import TestSupport
import Testing

@Suite("Requests as a device writes them", .seeded)
struct RequestPayloadTests {
    @Test("what a device writes, the gateway reads as the same request", arguments: OperationTable.all)
    func roundTrip(kind: any Request.Type) throws {
        var generator = Seeded(stream: 95)
        var made = 0
        // Their longest values take long to make.
        let fields = RequestField.of(kind)
        for _ in 0..<200 {
            // Some fields exclude each other.
            guard let request = try? kind.init(members: try JSONObject(generator.payload(fields))) else { continue }
            made += 1
            try expectRoundTrip(request, requestID: generator.chance(0.3) ? generator.text(0...64) : nil)
        }
        #expect(made > 20)
    }

    @Test("so is a request that needs other fields than those of its kind's list", arguments: others)
    func otherFields(request: any Request) throws {
        try expectRoundTrip(request, requestID: nil)
    }

    private static let others: [any Request] =
        ([
            MarkNotificationsRead(.all), RenewDevice(device: DeviceID(validated: "phone")),
            CreateReport(id: .random(), reason: "r", subject: .user(UserID(validated: "bob"))),
            RegisterPush(.apns(token: String(repeating: "0a", count: 32), topic: "org.example.App-1")),
            RegisterPush(.fcm(token: "dGVzdA:APA91b-_")),
            WebURL("https://push.example:8443/a?b=c").map { endpoint in
                RegisterPush(.webPush(endpoint, p256dh: [4] + Array(1...64), auth: Array(1...16)))
            },
        ] as [(any Request)?]).compactMap { $0 }

    private func expectRoundTrip<R: Request>(_ request: R, requestID: String?) throws {
        let object = try JSONObject(parsing: request.payload(requestID: requestID))
        #expect(try R(members: object) == request)
        #expect(try object.text("request_id", maximum: 64) == requestID)
    }
}

extension Seeded {
    /// Those fields that are required, and some of the others.
    fileprivate mutating func payload(_ fields: [RequestField]) throws -> String {
        var members: [String] = []
        if chance(0.5), let field = fields.filter({ $0.companions != "" }).randomElement(using: &self) {
            members.append(#""\#(field.name)":\#(try element(field.form.good))"# + field.companions)
        } else {
            for field in fields where !field.isRequired && field.companions == "" && chance(0.5) {
                members.append(#""\#(field.name)":\#(chance(0.2) ? "null" : try element(field.form.good))"#)
            }
        }
        for field in fields where field.isRequired {
            members.append(#""\#(field.name)":\#(try element(field.form.good))"#)
        }
        return "{\(members.joined(separator: ","))}"
    }
}
