import TestSupport
import Foundation
import ParleyClient
import ParleyProtocol
import Testing

@Suite("What is kept on disk for a device")
struct DeviceDirectoryTests {
    private let data: TemporaryDirectory
    private let alice = device("alice/phone")

    init() throws { data = try TemporaryDirectory() }

    private var directory: DeviceDirectory { data.directory(of: alice) }

    private func credentials(_ password: String) -> DeviceCredentials {
        DeviceCredentials(
            username: "alice", clientID: "alice:phone", password: password,
            expiresAt: Timestamp(milliseconds: 1_768_469_400_000))
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("what was stored is read again")
    func roundTrip() throws {
        try directory.store(credentials("one"))
        #expect(try directory.readCredentials() == credentials("one"))
        try directory.store(credentials("two"))
        #expect(try directory.readCredentials() == credentials("two"))
    }

    @Test("only the owner can read the file, or look into the directories")
    func permissions() throws {
        try directory.store(credentials("secret"))
        #expect(try permissions(directory.credentialsPath) == 0o600)
        for path in [directory.path, data.path + "/devices/alice", data.path + "/devices"] {
            #expect(try permissions(path) == 0o700)
        }
    }

    @Test("nothing but the credentials and their lock is left behind")
    func noTemporaryFiles() throws {
        try directory.store(credentials("secret"))
        try directory.store(credentials("secret"))
        #expect(try directory.entries == ["credentials.json", "credentials.json.lock"])
    }

    @Test("a file that others may read is refused", arguments: [0o604, 0o640, 0o666])
    func readableByOthers(mode: Int) throws {
        try directory.store(credentials("secret"))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.credentialsPath)
        let error = #expect(throws: CredentialsError.self) { try directory.readCredentials() }
        #expect(error?.description.contains("chmod 600 \(directory.credentialsPath)") == true)
    }

    @Test("a file that is missing, broken or of another device is refused")
    func unusable() throws {
        func refusal(_ directory: DeviceDirectory) -> CredentialsError? {
            #expect(throws: CredentialsError.self) { try directory.readCredentials() }
        }
        guard case .missing? = refusal(directory) else { throw UnexpectedError("a missing file") }
        try directory.store(credentials("secret"))
        let other = data.directory(of: device("alice/laptop"))
        try other.store(credentials("secret"))
        guard case .ofAnotherDevice? = refusal(other) else { throw UnexpectedError("another device's file") }
        for content in ["", "{}", "{\"username\":\"alice\"", "[]"] {
            try directory.overwrite(directory.credentialsPath, with: Array(content.utf8))
            guard case .malformed? = refusal(directory) else { throw UnexpectedError(content) }
        }
    }

    @Test("without a data directory the sentence names what is missing")
    func noDataDirectory() throws {
        let missing = DeviceDirectory(of: alice, in: data.path + "/nowhere")
        let error = #expect(throws: CredentialsError.self) { try missing.store(credentials("secret")) }
        #expect(error?.description.contains(data.path + "/nowhere/devices") == true)
    }
}
