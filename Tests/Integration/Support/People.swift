import Foundation
import ParleyProtocol

// Users and devices of a gateway, made as an operator makes them.

extension TestGateway {
    /// The operator's credentials, from the data directory.
    func operatorCredentials() throws -> DeviceCredentials {
        let path = try directory(of: .operatorConsole) + "/credentials.json"
        return try JSONDecoder().decode(DeviceCredentials.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// A connection of the operator's, beside those of other tests.
    func operatorClient() throws -> DeviceClient {
        try DeviceClient(
            mqttPort, operatorCredentials(), DeviceClient.Options(connection: uniqueName("test")))
    }

    /// A device signed in by its credentials.
    func connect(
        _ credentials: DeviceCredentials, _ options: DeviceClient.Options = DeviceClient.Options()
    ) throws -> DeviceClient {
        try DeviceClient(options.keepsSession == nil ? mqttPort : portOfSessions, credentials, options)
    }

    /// Makes a user that no other test has, with a device.
    func person() throws -> DeviceCredentials { try people(1)[0] }

    /// - Parameter privacy: who may write to them without asking. Most tests are about other things than that.
    func people(
        _ count: Int, device: String = "phone", privacy: MessagePrivacy = .anyone
    ) throws -> [DeviceCredentials] {
        let console = try operatorClient()
        defer { console.disconnect() }
        return try (0..<count).map { _ in
            let user = uniqueName()
            try console.acceptedAtLast(
                "admin/add-user", ["user_id": .string(user), "message_privacy": .string(privacy.rawValue)])
            return try console.addDevice(user, device)
        }
    }

    /// Makes a further device of a user, or its token anew.
    func device(_ device: String, of user: String) throws -> DeviceCredentials {
        let console = try operatorClient()
        defer { console.disconnect() }
        return try console.addDevice(user, device)
    }

    /// Users that no other test has, each with a connected device.
    func clients(_ count: Int, privacy: MessagePrivacy = .anyone) throws -> [DeviceClient] {
        try people(count, privacy: privacy).map { try connect($0) }
    }

    /// A user that no other test has, with a connected device.
    func client() throws -> DeviceClient { try connect(try person()) }

    /// A further device of a user, connected.
    func client(_ name: String, of user: String) throws -> DeviceClient { try connect(try device(name, of: user)) }

    /// Two users who talk, each with one connected device, and their conversation.
    func pair() throws -> (alice: DeviceClient, bob: DeviceClient, conversation: String) {
        let clients = try clients(2)
        return (clients[0], clients[1], try clients[0].conversation(with: clients[1].user))
    }
}

extension DeviceClient {
    /// Makes a group with others; its id.
    func group(with others: DeviceClient...) throws -> String {
        try accepted(
            "conversations/create",
            ["type": "group", "participant_ids": .array(others.map { .string($0.user) })])["id"].text ?? ""
    }

    /// Each of the two follows the other.
    func befriend(_ other: DeviceClient) throws {
        for (one, other) in [(self, other), (other, self)] {
            try one.accepted("social/follow", ["user_id": .string(other.user)])
        }
    }

    /// As an operator: makes a device, or its token anew.
    func addDevice(_ user: String, _ device: String) throws -> DeviceCredentials {
        let data = try accepted("admin/add-device", ["user_id": .string(user), "device_id": .string(device)])
        return try JSONDecoder().decode(DeviceCredentials.self, from: Data(data.bytes))
    }
}

/// The fields of a message, with changes.
func message(
    _ conversation: String, id: String = MessageID.random().description, _ changes: JSON = [:]
) -> JSON {
    let fields: JSON = [
        "id": .string(id), "conversation_id": .string(conversation), "message_type": "text",
        "suite": "x25519-hkdf-sha256-aes256gcm",
        "encrypted_content": .string(base64((0..<48).map { _ in UInt8.random(in: 0...255) })),
        "nonce": .string(base64([UInt8](repeating: 7, count: 12))),
    ]
    return fields.with(changes)
}

func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

func newID() -> String { MessageID.random().description }
