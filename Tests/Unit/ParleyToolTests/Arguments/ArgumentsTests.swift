import ArgumentParser
import ParleyProtocol
import TestSupport
import Testing

@testable import parley

private let sampleID = "7f31a5d0-0000-4000-8000-000000000000"

@Suite("Arguments")
struct ArgumentsTests {
    @Test(
        "a filter is put below parley/v1/ unless it says so itself",
        arguments: [
            ("#", "parley/v1/#"), ("users/alice/#", "parley/v1/users/alice/#"),
            ("conversations/+/messages", "parley/v1/conversations/+/messages"),
            ("parley/v1/gateway/status", "parley/v1/gateway/status"), ("+", "parley/v1/+"),
        ])
    func filters(argument: String, filter: String) {
        #expect(TailFilter(argument: argument)?.text == filter)
    }

    @Test("what is not a filter is refused", arguments: ["", "#/a", "a#", "a+/b", "a/#/b", "a\0b", "++"])
    func malformedFilters(argument: String) {
        #expect(TailFilter(argument: argument) == nil)
    }

    @Test(
        "a device is named UID/DID", arguments: ["alice", "alice/", "/phone", "alice/phone/x", "al ice/phone", "a+/b"])
    func devices(argument: String) {
        #expect(DeviceAddress(argument: argument) == nil)
        #expect(DeviceAddress(argument: "alice/phone")?.description == "alice/phone")
    }

    @Test("an operation is named AREA/VERB", arguments: ["messages", "messages/", "a/b/c", "a/#", ""])
    func operations(argument: String) {
        #expect(Operation(argument: argument) == nil)
        #expect(Operation(argument: "messages/send")?.description == "messages/send")
    }

    @Test(
        "a slip in a command's name is told with the one that was meant, whatever options come behind it",
        arguments: [
            (["chta", "--as", "alice/phone"], "did you mean parley chat?"),
            (["--data", "chat", "snd", "--as", "alice/phone"], "did you mean parley send?"),
            (["user", "ad", "alice"], "did you mean parley user add?"),
            (["user", "expel", "alice"], "no command parley user expel; these are: add, list"),
            (["requests", "acept", "eve"], "did you mean parley requests accept?"),
            (["activity", "--data", "d", "lst", "--as", "alice/phone"], "did you mean parley activity list?"),
        ])
    func slips(arguments: [String], advice: String) {
        let error = #expect(throws: (any Error).self) { try Parley.checkCommandNames(arguments) }
        #expect(error.map { Parley.fullMessage(for: $0) }?.contains(advice) == true)
    }

    @Test(
        "what is no slip is left to the parser",
        arguments: [
            ["send", "--as", "alice/phone", "--to", "bob", "chta"], ["help", "tail"], ["--version"], [],
            ["--data=x", "user", "list"], ["user"], ["requests"], ["activity", "--as", "alice/phone"],
            ["requests", "--as", "acept"], ["link", "approve", "CODE"],
        ])
    func noSlips(arguments: [String]) throws { try Parley.checkCommandNames(arguments) }

    @Test("letters that differ are counted, neighbours that changed places as one")
    func distance() {
        #expect(CommandNames.distance("chat", "chta") == 1 && CommandNames.distance("send", "snd") == 1)
        #expect(CommandNames.distance("", "abc") == 3 && CommandNames.distance("tail", "tail") == 0)
        #expect(CommandNames.distance("push", "group") == 5)
    }

    @Test("one signs in at a URL or by a file")
    func signInPlaces() throws {
        guard case .door = try SignInPlace("https://chat.example.org") else { throw NeverCameError("a door") }
        guard case .file("a file.parley") = try SignInPlace("a file.parley") else { throw NeverCameError("a file") }
        for (argument, next) in [
            ("", "empty"), ("ftp://chat.example.org", "mqtts://HOST"), ("http://chat.example.org", "say https://HOST"),
            ("mqtt://chat.example.org", "say mqtts://HOST"), ("ws://chat.example.org", "say wss://HOST"),
        ] {
            let error = #expect(throws: ValidationError.self) { try SignInPlace(argument) }
            #expect(error?.message.contains(next) == true)
        }
    }

    @Test("devices are kept in ./data where there is one, else below XDG_DATA_HOME or the home directory")
    func dataDirectories() throws {
        let place = try TemporaryDirectory()
        func path(_ local: String, _ environment: [String: String]) -> String {
            DataDirectoryOfPerson.path(local: local) { environment[$0] }
        }
        #expect(path(place.path, ["HOME": "/h"]) == place.path)
        let missing = "\(place.path)/data"
        #expect(path(missing, ["HOME": "/h", "XDG_DATA_HOME": "/x"]) == "/x/parley")
        #expect(path(missing, ["HOME": "/h", "XDG_DATA_HOME": "x"]) == "/h/.local/share/parley")
        #expect(path(missing, [:]) == missing)
        #expect(path(place.path, ["HOME": "/h", "PARLEY_DATA": "p"]) == "p")
    }

    @Test("a reaction is one emoji or nothing")
    func reactions() {
        #expect(Reaction(argument: "👍")?.text == "👍" && Reaction(argument: "")?.text == "")
        for argument in ["this is not an emoji", "a", "👍👍"] { #expect(Reaction(argument: argument) == nil) }
    }

    @Test("no help shows how a default is written in code")
    func defaultValues() {
        #expect(TailCommand.helpMessage(columns: 400).contains("(default: parley/v1/#)"))
    }

    @Test("no help shows an id that was made up for it")
    func defaults() {
        let help = PostActivityCommand.helpMessage(columns: 400)
        #expect(help.contains("--id <ID>"))
        #expect(help.firstMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-/) == nil)
    }

    @Test("a UUID is understood in capitals too")
    func capitals() {
        let text = sampleID.uppercased()
        #expect(text != sampleID)
        #expect(ConversationID(argument: text)?.description == sampleID)
        #expect(MessageID(argument: text)?.description == sampleID)
    }

    @Test("a group's link is understood with its scheme in capitals, and a token alone is")
    func invites() throws {
        for link in ["PARLEY://group/invite/", "parley://Group/invite/", ""] {
            let arguments = ["group", "join", "--as", "bob/phone", link + "4nWAMnDRxFkuUEVJtqmRvw"]
            #expect(throws: Never.self) { try Parley.parseAsRoot(arguments) }
        }
    }

    @Test(
        "the data directory is named before or after the command",
        arguments: [
            ["--data", "/d", "user", "list"], ["user", "--data", "/d", "list"], ["user", "list", "--data", "/d"],
            ["user", "list", "--json", "--data=/d"],
        ])
    func dataDirectory(arguments: [String]) throws {
        let command = try #require(try Parley.parseAsRoot(arguments) as? ListUsersCommand)
        #expect(command.common.gateway.path == "/d")
    }

    @Test("a request's fields are {} unless they are given; - is standard input")
    func fields() throws {
        let parse = { try #require(try Parley.parseAsRoot($0) as? RequestCommand) }
        #expect(try parse(["request", "--as", "alice/phone", "profile/get"]).fields == "{}")
        #expect(try parse(["request", "profile/get", "-", "--as", "alice/phone"]).fields == "-")
        #expect(try parse(["request", "profile/get", #"{"a":1}"#, "--as", "alice/phone"]).fields == #"{"a":1}"#)
    }

    @Test("a message is for a user or a conversation, and - is standard input")
    func send() throws {
        let parse = { try #require(try Parley.parseAsRoot(["send", "--as", "alice/phone"] + $0) as? SendCommand) }
        let plain = try parse(["--to", "bob", "-"])
        #expect(plain.text == "-")
        #expect(plain.recipient.to?.text == "bob")
        #expect(plain.suite == nil)
        let full = try parse([
            "--conversation", sampleID, "--suite", "nacl-box", "--reply-to", sampleID, "--expires-in", "60", "hi there",
        ])
        #expect(full.recipient.conversation?.id?.description == sampleID)
        #expect(full.suite == .naclBox)
        #expect(full.replyTo?.text == sampleID)
        #expect(full.expiresIn == 60)
    }

    @Test(
        "wrong arguments are refused",
        arguments: [
            ["frobnicate"], ["user", "add"], ["user", "add", "a/b"], ["device", "add", "alice"],
            ["device", "add", "alice", "phone", "--ttl", "0"], ["device", "add", "alice", "phone", "--ttl", "4000"],
            ["request"], ["request", "--as", "alice", "profile/get"], ["tail", "a#"],
            ["user", "list", "--timeout", "0"], ["send", "--as", "alice/phone", "hi"],
            ["send", "--as", "alice/phone", "--to", "bob"], ["send", "--as", "alice", "--to", "bob", "hi"],
            ["send", "--as", "alice/phone", "--to", "bob", ""],
            ["send", "--as", "alice/phone", "--to", "bob", "--conversation", sampleID, "hi"],
            ["send", "--as", "alice/phone", "--conversation", "", "hi"],
            ["edit", "--as", "alice/phone", "--conversation", "bob", "text"],
            ["edit", "--as", "alice/phone", "--conversation", "bob", "--last", "12", "text"],
            ["edit", "--as", "alice/phone", "--conversation", "bob", "x y", "text"],
            ["react", "--as", "alice/phone", "--conversation", "bob", "12", "no emoji"],
            ["delete", "--as", "alice/phone", "--conversation", "bob"], ["metrics", "report", "--as", "alice/phone"],
            ["metrics", "report", "--as", "alice/phone", "--steps", "-1"],
            ["metrics", "report", "--as", "alice/phone", "--steps", "1", "--day", "2026-02-30"],
            ["history", "--as", "alice/phone"], ["search", "--as", "alice/phone"],
            ["profile", "--as", "alice/phone", "bob", "--name", "x"],
            ["send", "--as", "alice/phone", "--to", "bob", "--suite", "rot13", "hi"],
            ["send", "--as", "alice/phone", "--to", "bob", "--suite", "legacy-nacl-box", "hi"],
            ["send", "--as", "alice/phone", "--to", "bob", "--expires-in", "0", "hi"],
            ["listen", "--as", "alice/phone", "--history", "-1"], ["listen", "--as", "alice"],
            ["chat", "--as", "alice/phone", "--with", "bob", "--conversation", "x"],
            ["chat", "--as", "alice/phone", "--with", "alice"], ["safety-number", "--as", "alice/phone"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try Parley.parseAsRoot(arguments) }
    }

    @Test(
        "what is no challenge, plan, link, role or number is refused",
        arguments: [
            ["challenge", "create", "--to", "bob", "naps", "5", "--days", "1"],
            ["challenge", "create", "--to", "bob", "steps", "0", "--days", "1"],
            ["challenge", "create", "--to", "bob", "steps", "5", "--days", "91"],
            ["plan", "share", "--to", "bob", "diet", "", "--title", "x"],
            ["plan", "share", "--to", "bob", "diet", "1"],
            ["plan", "share", "--to", "bob", "diet", "1", "--title", "x", "--minutes", "3"],
            ["plan", "share", "--to", "bob", "workout", "1", "--title", "x", "--calories", "3"],
            ["plan", "share", "--to", "bob", "sleep", "1", "--title", "x"],
            ["plan", "share", "--to", "bob", "diet", String(repeating: "a", count: 256), "--title", "x"],
            ["group", "join", "nonsense"], ["open", "parley://plan/1"], ["group", "invite", "--uses", "0"],
            ["group", "role", "bob", "king"],
        ])
    func refusedOfDevice(arguments: [String]) {
        #expect(throws: (any Error).self) { try Parley.parseAsRoot(arguments + ["--as", "alice/phone"]) }
    }
}
