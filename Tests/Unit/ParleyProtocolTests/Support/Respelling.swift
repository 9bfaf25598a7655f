import Foundation
import TestSupport
import Testing

extension Seeded {
    /// Another spelling of an object that `JSONEncoder` wrote: its members shuffled among unknown ones, white space
    /// anywhere, slashes and some characters of the keys escaped or not, values as `JSONSerialization` prints them.
    mutating func respelled(_ object: Data) throws -> [UInt8] {
        let members = try #require(try JSONSerialization.jsonObject(with: object) as? [String: Any])
        var texts: [String] = []
        // Sorted, so that the seed alone decides.
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            texts.append(key(name) + space() + ":" + space() + (try json(value)))
        }
        for index in 0..<Int.random(in: 0...3, using: &self) {
            let value: Any = try element(
                [text(0...8), 1.5e300, NSNull(), ["id": [text(0...3)]], [true, [[:]]]] as [Any])
            texts.append(key("unknown_\(index)") + ":" + (try json(value)))
        }
        texts.shuffle(using: &self)
        let inside = texts.map { space() + $0 + space() }.joined(separator: ",")
        return Array((space() + "{" + inside + space() + "}" + space()).utf8)
    }

    private mutating func json(_ value: Any) throws -> String {
        var options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
        if chance(0.5) { options.insert(.withoutEscapingSlashes) }
        if chance(0.3) { options.insert(.prettyPrinted) }
        return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }

    private mutating func key(_ name: String) -> String {
        var text = "\""
        for byte in name.utf8 {
            let hexadecimal = String(byte, radix: 16, uppercase: chance(0.5))
            text += chance(0.05) ? #"\u00\#(hexadecimal)"# : String(UnicodeScalar(byte))
        }
        return text + "\""
    }

    private mutating func space() -> String {
        guard chance(0.2) else { return "" }
        return String(
            (0..<Int.random(in: 1...3, using: &self)).map { _ in
                [" ", "\t", "\n", "\r"][Int.random(in: 0..<4, using: &self)] as Character
            })
    }
}
