import Foundation
import RepeatableRandom

/// Lies about fields: what an honest gateway says, with a few of its fields left out, or with something else in their
/// place.
///
/// What is put there is of every JSON type, of any size, or the name of what is none of the reader's.
struct FieldLies: Sendable {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// How a value in a JSON text is reached.
    private enum Step {
        case member(String)
        case element(Int)
    }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

    /// - Parameter payload: a reply or an event.
    mutating func told(_ payload: [UInt8]) -> [UInt8] {
        guard var value = try? JSONSerialization.jsonObject(with: Data(payload)) else { return payload }
        for _ in 0..<(chance(0.8) ? 1 : 3) {
            // Seldom about the envelope, without which nothing of it is read.
            let all = FieldLies.paths(in: value).filter { $0.count > 1 || Int.random(in: 0..<20, using: &random) == 0 }
            guard let path = all.randomElement(using: &random) else { break }
            let other = all.randomElement(using: &random).flatMap { FieldLies.value(at: $0[...], in: value) }
            let kind = Int.random(in: 0..<48, using: &random)
            value = FieldLies.replaced(path[...], in: value) { FieldLies.false($0, kind, other: other) } ?? value
        }
        return (try? JSONSerialization.data(withJSONObject: value)).map { [UInt8]($0) } ?? payload
    }

    /// Something else; `nil` for nothing.
    private static func `false`(_ old: Any, _ kind: Int, other: Any?) -> Any? {
        let numbers: [Any] = [-1, 0, Int.max, Int.min, 9_007_199_254_740_993, 1.5, 1e308]
        let texts = [
            "", "\u{1B}[2J\u{202E}false\n", String(repeating: "x", count: 70_000), "mallory",
            "7f31a5d0-0000-4000-8000-00000000dead", "2999-12-31T23:59:59.999Z", "2016-02-30T25:61:61Z", "9999-W53",
            "0001-W01",
        ]
        switch kind {
        case 0: return nil
        case 1: return NSNull()
        case 2: return true
        case 3..<3 + numbers.count: return numbers[kind - 3]
        case 10..<10 + texts.count: return texts[kind - 10]
        case 19: return [Any]()
        case 20: return [String: Any]()
        case 21: return Array(repeating: old, count: 3000)
        case 22: return (0..<100).reduce(old) { value, _ in [value] }
        case 23..<28: return other ?? "\(old)"
        default: return plausible(old)
        }
    }

    /// What can be read, and is of something else.
    private static func plausible(_ old: Any) -> Any {
        guard let text = old as? String else { return old is [Any] || old is [String: Any] ? old : 4711 }
        if text.utf8.count == 36 { return "7f31a5d0-0000-4000-8000-00000000dead" }
        if text.hasSuffix("Z") { return "2001-01-01T00:00:00.000Z" }
        return text.contains("-W") ? "2001-W01" : "mallory"
    }

    private static func paths(in value: Any) -> [[Step]] {
        if let object = value as? [String: Any] {
            return object.keys.sorted().flatMap { key in
                [[.member(key)]] + paths(in: object[key] ?? 0).map { [.member(key)] + $0 }
            }
        }
        guard let array = value as? [Any] else { return [] }
        return array.indices.prefix(10).flatMap { index in
            [[.element(index)]] + paths(in: array[index]).map { [.element(index)] + $0 }
        }
    }

    private static func value(at path: ArraySlice<Step>, in value: Any) -> Any? {
        switch path.first {
        case nil: value
        case .member(let key): (value as? [String: Any])?[key].flatMap { self.value(at: path.dropFirst(), in: $0) }
        case .element(let index):
            (value as? [Any]).flatMap { $0.indices.contains(index) ? $0[index] : nil }
                .flatMap { self.value(at: path.dropFirst(), in: $0) }
        }
    }

    private static func replaced(_ path: ArraySlice<Step>, in value: Any, by body: (Any) -> Any?) -> Any? {
        switch path.first {
        case nil: return body(value)
        case .member(let key):
            guard var object = value as? [String: Any], let member = object[key] else { return value }
            object[key] = replaced(path.dropFirst(), in: member, by: body)
            return object
        case .element(let index):
            guard var array = value as? [Any], array.indices.contains(index) else { return value }
            if let element = replaced(path.dropFirst(), in: array[index], by: body) {
                array[index] = element
            } else {
                array.remove(at: index)
            }
            return array
        }
    }
}
