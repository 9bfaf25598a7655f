import Foundation
import ParleyProtocol
import Sodium
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

@Suite("The data directory")
struct DataDirectoryTests {
    private let place = TemporaryDirectory.unmade()

    private var directory: DataDirectory { DataDirectory(path: place.path) }

    private func refusal(_ path: String) -> String? {
        do throws(DataDirectoryError) {
            try DataDirectory(path: path).prepare()
            return nil
        } catch {
            return error.description
        }
    }

    @Test("a new directory is its owner's alone, and so is all that is in it")
    func newIsPrivate() throws {
        try directory.prepare()
        for name in ["", "keys", "run", "devices"] { #expect(try place.permissions(name) == 0o700) }
        for name in ["keys/signing.key", "keys/signing.pub", "parleyd.json"] {
            #expect(try place.permissions(name) == 0o600)
        }
        #expect(try place.bytes("keys/signing.key").count == 32)
    }

    @Test("the public key is that of the signing key")
    func publicKeyMatches() throws {
        try directory.prepare()
        #expect(try directory.readSigningKey().publicKey.bytes == place.bytes("keys/signing.pub"))
    }

    @Test("a public key that is missing is made again from the signing key")
    func publicKeyIsMadeAgain() throws {
        try directory.prepare()
        let before = try place.bytes("keys/signing.pub")
        try FileManager.default.removeItem(atPath: directory.publicKey)
        try directory.prepare()
        #expect(try place.bytes("keys/signing.pub") == before)
    }

    @Test(
        "a secret that everybody may read, or others may write, is not used; a group may read it, and all may read what is none"
    )
    func openSecret() throws {
        try directory.prepare()
        try place.write("secret", to: "key.p8")
        let file = place.path + "/key.p8"
        for (mode, isTaken) in [
            (0o600, true), (0o400, true), (0o640, true), (0o644, false), (0o660, false), (0o604, false),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            #expect((try? directory.readSecret("key.p8")) == (isTaken ? Array("secret".utf8) : nil), "\(mode)")
            #expect(try directory.read("key.p8") == Array("secret".utf8))
        }
        // Also by another name, and of the settings that name one.
        try FileManager.default.createSymbolicLink(atPath: place.path + "/link.p8", withDestinationPath: file)
        var settings = try directory.readSettings()
        for name in ["apns_key_file", "fcm_account_file"] {
            settings = try directory.readSettings()
            settings[provider: name] = "link.p8"
            do throws(DataDirectoryError) {
                _ = try directory.checkPushes(settings)
                Issue.record("it was taken")
            } catch {
                #expect(error.description.contains("open to others"))
            }
        }
    }

    @Test("what is there stays as it is")
    func existingStays() throws {
        try directory.prepare()
        try place.write(#"{"batch_limit":7}"#, to: "parleyd.json")
        let names = ["keys/signing.key", "keys/signing.pub", "parleyd.json"]
        let before = try names.map { try place.bytes($0) }
        try directory.prepare()
        #expect(try names.map { try place.bytes($0) } == before)
        #expect(try directory.readSettings().batchLimit == 7)
    }

    @Test(
        "an empty directory is taken, and made private",
        arguments: [0o755, 0o777, 0o700, 0o750])
    func empty(permissions: Int) throws {
        try place.make(permissions: permissions)
        #expect(refusal(place.path) == nil)
        #expect(try place.permissions() == 0o700)
    }

    @Test("one that was opened to others is closed again")
    func openedIsClosed() throws {
        try directory.prepare()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
        #expect(refusal(place.path) == nil)
        #expect(try place.permissions() == 0o700)
    }

    @Test("one with something else in it is left as it is, unless it is private already")
    func foreignIsLeft() throws {
        try place.make(permissions: 0o755)
        try place.write("mine", to: "letter.txt")
        #expect(refusal(place.path)?.contains("something else") == true)
        #expect(try place.permissions() == 0o755)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["letter.txt"])
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.path)
        #expect(refusal(place.path) == nil)
    }

    @Test("a path whose socket would be too long is refused before anything is made")
    func longPathIsRefused() throws {
        let room = 107 - "/run/broker.sock".utf8.count
        let longest = "/tmp/" + String(repeating: "x", count: room - 5)
        #expect(DataDirectory(path: longest).brokerSocket.utf8.count == 107)
        #expect(refusal(longest + "x")?.contains("too long") == true)
        #expect(!FileManager.default.fileExists(atPath: longest + "x"))
        defer { try? FileManager.default.removeItem(atPath: longest) }
        #expect(refusal(longest) == nil)
    }

    @Test("what cannot be made is said in a sentence with its path")
    func unmakeableIsNamed() throws {
        try place.make()
        try place.write("a file", to: "file")
        let sentence = try #require(refusal(place.path + "/file/data"))
        #expect(sentence.contains(place.path + "/file/data") && !sentence.contains("Error"))
    }

    @Test("settings and keys that are missing or wrong are named")
    func wrongFilesAreNamed() throws {
        #expect(throws: DataDirectoryError.self) { try directory.readSettings() }
        #expect(throws: DataDirectoryError.self) { try directory.readSigningKey() }
        try directory.prepare()
        try place.write(#"{"batch_limit":0}"#, to: "parleyd.json")
        try place.write("short", to: "keys/signing.key")
        do throws(DataDirectoryError) {
            _ = try directory.readSettings()
            Issue.record("the settings were taken")
        } catch {
            #expect(error.description.contains("batch_limit") && error.description.contains("parleyd.json"))
        }
        #expect(throws: DataDirectoryError.self) { try directory.readSigningKey() }
    }

    @Test("one directory is one gateway's")
    func oneGateway() throws {
        try directory.prepare()
        let lock = try DirectoryLock(directory)
        #expect(throws: DataDirectoryError.self) { try DirectoryLock(directory) }
        lock.release()
        _ = try DirectoryLock(directory)
    }
}

@Suite("Files of the data directory")
struct DataDirectoryFileTests {
    private let place = TemporaryDirectory.unmade()

    init() throws { try place.make() }

    @Test("a file is replaced whole, and is its owner's alone")
    func replacedWhole() throws {
        try place.write("old and much longer", to: "file")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.path + "/file")
        try DataDirectory.write([1, 2, 3], to: place.path + "/file")
        #expect(try place.bytes("file") == [1, 2, 3])
        #expect(try place.permissions("file") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["file"])
    }

    @Test("what cannot be written leaves what was there, and nothing beside it")
    func unwritableKeepsOld() throws {
        try FileManager.default.createDirectory(atPath: place.path + "/taken", withIntermediateDirectories: false)
        for (name, verb) in [("taken", "replace"), ("nowhere/file", "write")] {
            let path = "\(place.path)/\(name)"
            let error = #expect(throws: DataDirectoryError.self) { try DataDirectory.write([1], to: path) }
            #expect(error?.description.hasPrefix("cannot \(verb) \(path): ") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["taken"])
    }
}

@Suite("The template of the broker's configuration")
struct BrokerTemplateTests {
    private let place = TemporaryDirectory.unmade()

    init() throws { try place.make() }

    private func install(_ template: String, plugin: String = "/lib/plugin.so") throws -> String {
        try place.write(template, to: "template")
        let values = BrokerTemplate.Values(plugin: plugin, mqttPort: 1893, user: "parley")
        try BrokerTemplate(path: place.path + "/template").install(in: DataDirectory(path: place.path), values)
        return String(decoding: try place.bytes("mosquitto.conf"), as: UTF8.self)
    }

    @Test("every name is filled in, wherever it stands")
    func everyNameIsFilledIn() throws {
        #expect(
            try install("user @USER@\nlistener @MQTT_PORT@\nplugin @PLUGIN@\n@DATA@/x @DATA@")
                == "user parley\nlistener 1893\nplugin /lib/plugin.so\n\(place.path)/x \(place.path)")
        #expect(try place.permissions("mosquitto.conf") == 0o600)
        #expect(
            String(decoding: try place.bytes("endpoint.json"), as: UTF8.self)
                == #"{"host":"127.0.0.1","mqtt_port":1893,"scheme":"mqtt"}"# + "\n")
        #expect(DataDirectory(path: place.path).deviceURL == "mqtt://127.0.0.1:1893")
    }

    @Test("a door has a configuration of its own, and devices are sent to it")
    func doorConfiguration() throws {
        try place.write("bind :@DOOR_PORT@ crt '@CERT@'\nserver 127.0.0.1:@MQTT_PORT@", to: "door")
        try place.write("listener @MQTT_PORT@ 127.0.0.1", to: "template")
        let door = try BrokerTemplate.Door(
            template: ConfigurationTemplate(path: place.path + "/door"), host: "chat.example", port: 8883,
            certificate: "/etc/a b.pem", authority: "/etc/\"ca\".pem", listensOnIPv6: true)
        try BrokerTemplate(path: place.path + "/template", door: door).install(
            in: DataDirectory(path: place.path),
            BrokerTemplate.Values(plugin: "/plugin.so", mqttPort: 1893, user: "parley"))
        #expect(
            String(decoding: try place.bytes("haproxy.cfg"), as: UTF8.self)
                == "bind :8883 crt '/etc/a b.pem'\nserver 127.0.0.1:1893")
        #expect(try place.permissions("haproxy.cfg") == 0o600)
        #expect(
            String(decoding: try place.bytes("endpoint.json"), as: UTF8.self)
                == #"{"host":"chat.example","mqtt_port":8883,"scheme":"mqtts","ca_file":"/etc/\"ca\".pem"}"# + "\n")
        #expect(DataDirectory(path: place.path).deviceURL == "mqtts://chat.example:8883")
        #expect(throws: DataDirectoryError.self) {
            try BrokerTemplate.Door(
                template: ConfigurationTemplate(path: place.path + "/door"), host: "h", port: 1, certificate: "/it's",
                authority: nil, listensOnIPv6: true)
        }
    }

    @Test("a machine without IPv6 has a door that does not listen on it")
    func doorWithoutIPv6() throws {
        try place.write(
            "frontend devices\n    bind :@DOOR_PORT@\n    bind ipv6@:@DOOR_PORT@ v6only\n    # bind ipv6@:", to: "door")
        for (listensOnIPv6, lines) in [(true, 4), (false, 3)] {
            let door = try BrokerTemplate.Door(
                template: ConfigurationTemplate(path: place.path + "/door"), host: "h", port: 8883, certificate: "/c",
                authority: nil, listensOnIPv6: listensOnIPv6)
            let text = try door.filled(brokerPort: 1893)
            #expect(text.split(separator: "\n").count == lines && text.contains("    bind :8883"))
            #expect(text.contains("\n    bind ipv6@:8883") == listensOnIPv6 && text.contains("# bind ipv6@:"))
        }
    }

    @Test("a name without a value is refused, and nothing is written")
    func missingValueIsRefused() throws {
        for line in ["certfile @CERT@", "a @DATA@ @NAME@", " # @OTHER@"] {
            let error = #expect(throws: DataDirectoryError.self) { try install(line) }
            #expect(error?.description.contains("has a name without a value: @") == true)
        }
        #expect(throws: (any Error).self) { try place.bytes("mosquitto.conf") }
        #expect(throws: (any Error).self) { try place.bytes("endpoint.json") }
        #expect(try install("# @NAME@ stands for something") == "# @NAME@ stands for something")
    }

    @Test("what only looks like a name stays as it is")
    func lookalikeStays() throws {
        #expect(
            try install("a@b @name@ @@ @DATA @PLUGIN@\n\n@", plugin: "/@USER@/@")
                == "a@b @name@ @@ @DATA /@USER@/@\n\n@")
    }

    @Test("a line break in a path is no second line of the configuration")
    func lineBreakInAPath() {
        #expect(throws: DataDirectoryError.self) { try install("plugin @PLUGIN@", plugin: "/a\nallow_anonymous true") }
    }

    @Test("a template that is not there is named")
    func missingTemplateIsNamed() {
        #expect(throws: DataDirectoryError.self) { try BrokerTemplate(path: place.path + "/nothing") }
    }
}
