import Foundation
import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Hostile contents", .seeded)
struct HostileContentTests {
    private static let types = MessageType.allCases.map(Named.known) + [.unknown("later")]

    @Test("naughty strings come through in every text of every type, byte for byte", .vectors)
    func naughtyStrings() throws {
        let strings = try Vectors.naughtyStrings()
        for text in strings where !text.utf8.contains(0) {
            for type in MessageType.Sendable.allCases {
                for content in MessageContent.samples(type, text) {
                    let json = try content.encoded()
                    let read = try MessageContent(type: .known(type.type), json: json)
                    // Strings compare by what they look like; written again they compare by their bytes.
                    #expect(try read.encoded() == json)
                }
            }
            let json = try MessageContent.text(text).encoded()
            let content = try MessageContent(type: .known(.text), json: json)
            guard case .text(let read) = content else { throw UnexpectedError(content) }
            #expect(read.utf8.elementsEqual(text.utf8))
        }
    }

    @Test("the bodies of JSONTestSuite are a content, or a bad one, and never trap", .vectors)
    func jsonTestSuite() throws {
        let folder = try Vectors.folder("jsontestsuite/test_parsing")
        var (read, refused) = (0, 0)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let body = Array(try Data(contentsOf: file))
            let isRefused = file.lastPathComponent.hasPrefix("n_")
            for json in [body, Array(#"{"text":"x","v":"#.utf8) + body + Array("}".utf8)] {
                for type in Self.types {
                    do throws(OpeningError) {
                        _ = try OpenedContent(type: type, json: json)
                        #expect(!isRefused, "\(file.lastPathComponent)")
                        read += 1
                    } catch {
                        #expect(error == .badContent)
                        refused += 1
                    }
                }
            }
        }
        #expect(read > 100 && refused > 1000)
    }

    @Test("random bytes, and contents with bytes changed, are read or bad, and never trap")
    func mutated() throws {
        var generator = Seeded(stream: 400)
        var read = 0
        for type in MessageType.Sendable.allCases {
            for content in MessageContent.samples(type) {
                let json = try content.encoded()
                for _ in 0..<1_000 {
                    var bytes = json
                    for _ in 0..<Int.random(in: 1...3, using: &generator) {
                        let index = Int.random(in: 0..<bytes.count, using: &generator)
                        switch Int.random(in: 0..<3, using: &generator) {
                        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                        case 1: bytes.remove(at: index)
                        default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &generator), at: index)
                        }
                    }
                    guard let opened = try? OpenedContent(type: .known(type.type), json: bytes) else { continue }
                    #expect(try MessageContent(type: .known(type.type), json: opened.json) == opened.value)
                    read += 1
                }
            }
        }
        #expect(read > 100)
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for type in Self.types { _ = try? OpenedContent(type: type, json: bytes) }
        }
    }
}
