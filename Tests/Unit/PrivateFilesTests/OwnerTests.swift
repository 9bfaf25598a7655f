import Foundation
import PrivateFiles
import TestSupport
import Testing

@Suite("Whom root's files belong to", .enabled(if: geteuid() == 0, "only root can give files away"))
struct OwnerTests {
    /// Of nobody.
    private static let owner = 65_534
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
        try FileManager.default.setAttributes(
            [.ownerAccountID: Self.owner, .groupOwnerAccountID: Self.owner], ofItemAtPath: place.path)
    }

    private func owner(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(place.path)/\(name)")[.ownerAccountID] as? Int
    }

    @Test("what is made in somebody's directory is theirs: files, locks, and directories with what is in them")
    func made() throws {
        try Files.makePrivateDirectory("\(place.path)/devices")
        try Files.makePrivateDirectory("phone", in: "\(place.path)/devices")
        try Files.replace("credentials.json", in: "\(place.path)/devices/phone", with: [1])
        try Files.makePrivateFile("\(place.path)/messages.db")
        _ = try OpenFile("\(place.path)/sealed", for: .making)
        _ = try FileLock(waitingFor: "\(place.path)/lock")
        for name in ["devices", "devices/phone", "devices/phone/credentials.json", "messages.db", "sealed", "lock"] {
            #expect(try owner(name) == Self.owner, "\(name)")
        }
    }

    @Test("what has another name elsewhere keeps its owner, and no link is followed")
    func links() throws {
        let elsewhere = try TemporaryDirectory()
        try elsewhere.write([1], to: "roots")
        try Files.link("\(elsewhere.path)/roots", as: "\(place.path)/roots")
        try Files.makePrivateFile("\(place.path)/roots")
        _ = try FileLock(waitingFor: "\(place.path)/roots")
        #expect(try owner("roots") == 0)
        try FileManager.default.createSymbolicLink(
            atPath: "\(place.path)/link", withDestinationPath: "\(elsewhere.path)/roots")
        #expect(throws: FileError.self) { try FileLock(waitingFor: "\(place.path)/link") }
    }
}
