import Launch
import Foundation
import Glibc
import ParleyClient
import ParleyMosquitto
import ParleyProtocol
import TestSupport
import Testing

/// Two users of a gateway of their own, `alice/phone` and `bob/phone`, who run the tool. Anyone may write to them.
final class Couple: Sendable {
    let gateway: TestGateway
    let parley: ParleyTool

    /// - Parameter devices: of these the keys are made.
    init(settings: JSON = TestGateway.roomy, keysOf devices: [String] = []) throws {
        gateway = try TestGateway(settings: settings)
        parley = try ParleyTool(on: gateway)
        for user in ["alice", "bob"] {
            try #require(try parley.run("user", "add", user, "--message-privacy", "anyone").status == 0)
            try addDevice(of: user)
        }
        for device in devices { try makeKeys(of: device) }
    }

    deinit { parley.removeScratch() }

    func addDevice(_ device: String = "phone", of user: String) throws {
        try #require(try parley.run("device", "add", user, device).status == 0)
    }

    /// Starts `parley listen`, which prints for people unless arguments say `--json`; it has said that it listens.
    func listen(as device: String = "bob/phone", _ arguments: String...) throws -> ParleyTool.Run {
        let form = arguments.contains("--json") ? [] : ["--text"]
        let run = try parley.start(["listen", "--as", device] + form + arguments)
        try awaitWord("listening as \(device)", of: run)
        return run
    }

    /// Sends from alice to bob, with success.
    @discardableResult
    func send(_ text: String, _ arguments: String...) throws -> JSON {
        let sent = try parley.run(["send", "--as", "alice/phone", "--to", "bob"] + arguments + [text])
        try #require(sent.status == 0, "\(sent.errors)")
        return sent.json
    }

    /// Lets the device make and publish its keys, as on its first use.
    func makeKeys(of device: String) throws {
        try listen(as: device).child.send(SIGTERM)
    }

    func awaitWord(_ word: String, of run: ParleyTool.Run) throws {
        try eventually("\(word); it said: \(run.errors)") { () -> Void? in
            if run.errors.contains("parley: \(word)") { return () }
            guard run.child.isRunning else { throw NeverCameError("\(word): it ended and said: \(run.errors)") }
            return nil
        }
    }

    /// The lines that a run has printed, once there are so many.
    func lines(of run: ParleyTool.Run, count: Int) throws -> [JSON] {
        let lines = try eventually("\(count) lines; there are: \(run.output); it said: \(run.errors)") {
            () -> [Substring]? in
            let lines = run.output.split(separator: "\n")
            return lines.count >= count && run.output.hasSuffix("\n") ? lines : nil
        }
        return try lines.map { try JSON(parsing: $0.utf8) }
    }

    /// Links a device, which is added if it is not there, by another of its user.
    func link(_ device: String, by other: String) throws {
        let parts = device.split(separator: "/").map(String.init)
        if parley.hasNoCredentials(of: device) { try addDevice(parts[1], of: parts[0]) }
        let linking = try parley.start(["link", "--as", device], input: "yes\n")
        let code = try eventually("a code; it said: \(linking.errors)") {
            linking.output.split(separator: "\n").first { $0.hasPrefix("parley-link/1/") }
        }
        let approved = try parley.run("link", "approve", "--as", other, "--yes", String(code))
        try #require(approved.status == 0, "\(approved.errors)")
        try #require(linking.child.waitUntilEnded() == 0, "\(linking.errors)")
    }

    /// Makes a new account key with a device, as after all that held the old one are lost.
    func resetAccount(with device: String) async throws {
        let parts = device.split(separator: "/").map(String.init)
        let address = DeviceAddress(user: UserID(validated: parts[0]), device: DeviceID(validated: parts[1]))
        try await MessagingClient.open(.local(device: address, in: gateway.directory)) { client in
            try await client.ready(timeout: chatPatience)
            try await client.account.reset()
        }
    }

    /// The safety number as the two see it.
    func safetyNumber() throws -> String {
        let outcome = try parley.run("safety-number", "--as", "alice/phone", "--with", "bob")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    /// Makes a device forget its keys, as one that is set up anew.
    func forgetKeys(of device: String) throws {
        let scratch = "\(gateway.directory)/forget.out"
        let remove = try ChildProcess(
            "/bin/bash", ["-c", "rm -f devices/\(device)/{keys,peers,messages.db}*"], directory: gateway.directory,
            output: scratch, errors: scratch)
        try #require(remove.waitUntilEnded() == 0)
    }
}
