import TestSupport
import Foundation
import ParleyClient
import ParleyProtocol
import Testing

@Suite("What is kept on disk for a device")
struct DeviceDirectoryTests {
    private let data: TemporaryDirectory
    private let alice = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))

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
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                == ["credentials.json", "credentials.json.lock"])
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
        guard case .missing = #expect(throws: CredentialsError.self, performing: { try directory.readCredentials() })
        else {
            Issue.record("a missing file")
            return
        }
        try directory.store(credentials("secret"))
        let other = DeviceAddress(user: alice.user, device: DeviceID(validated: "laptop"))
        try DeviceDirectory(of: other, in: data.path).store(credentials("secret"))
        guard
            case .ofAnotherDevice = #expect(
                throws: CredentialsError.self,
                performing: { try DeviceDirectory(of: other, in: data.path).readCredentials() })
        else {
            Issue.record("another device's file")
            return
        }
        for content in ["", "{}", "{\"username\":\"alice\"", "[]"] {
            try overwrite(content)
            guard
                case .malformed = #expect(
                    throws: CredentialsError.self, performing: { try directory.readCredentials() })
            else {
                Issue.record("\(content)")
                return
            }
        }
    }

    /// In place, so that the permissions stay.
    private func overwrite(_ content: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: directory.credentialsPath))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(content.utf8))
        try file.close()
    }

    @Test("without a data directory the sentence names what is missing")
    func noDataDirectory() throws {
        let missing = DeviceDirectory(of: alice, in: data.path + "/nowhere")
        let error = #expect(throws: CredentialsError.self) { try missing.store(credentials("secret")) }
        #expect(error?.description.contains(data.path + "/nowhere/devices") == true)
    }
}
