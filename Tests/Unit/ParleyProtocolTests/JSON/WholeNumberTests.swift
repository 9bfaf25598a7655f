import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("Whole numbers", .seeded)
struct WholeNumberTests {
    static func read(_ spelling: String) -> Int? {
        guard let object = try? JSONObject(#"{"n":\#(spelling)}"#) else { return nil }
        return (try? object.integer("n", in: Int.min...Int.max)) ?? nil
    }

    @Test(
        "a whole number is one however JSON spells it",
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0", 0), ("0e0", 0), ("0e400", 0), ("0.000e-7", 0), ("1", 1), ("-1", -1),
            ("60", 60), ("60.0", 60), ("60.000", 60), ("6e1", 60), ("6E1", 60), ("6e+1", 60), ("0.6e2", 60),
            ("600e-1", 60), ("600.0e-1", 60), ("6000E-2", 60), ("1e18", 1_000_000_000_000_000_000),
            ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("9.223372036854775807e18", Int.max),
            ("-9.223372036854775808e18", Int.min), ("92233720368547758070e-1", Int.max),
            ("1.00000000000000000000000000000", 1), ("9007199254740993", 9_007_199_254_740_993),
        ])
    func whole(spelling: String, value: Int) { #expect(Self.read(spelling) == value) }

    @Test(
        "a fraction, what does not fit and what is no number are refused",
        arguments: [
            "1.5", "-0.1", "1e-1", "60.0000000001", "15e-1", "9223372036854775808", "-9223372036854775809",
            "18446744073709551616", "1e19", "1e400", "-1e400", "1e-400", "1e99999", "1e18446744073709551617",
            "1e-18446744073709551617", "9.3e18", "123456789012345678901234567890", "1.000000000000000000000000000001",
            String(repeating: "1", count: 100_000), "1." + String(repeating: "0", count: 100_000), #""60""#, "true",
            "[60]", "{}", "null", "0x3c", "06", "NaN",
        ])
    func refused(spelling: String) { #expect(Self.read(spelling) == nil) }

    @Test("random spellings mean what Foundation's Decimal says they mean")
    func agreement() throws {
        var generator = Seeded(stream: 11)
        for _ in 0..<20_000 {
            let spelling = generator.number()
            let decimal = try #require(Decimal(string: spelling, locale: Locale(identifier: "en_US_POSIX")))
            #expect(Self.read(spelling) == Int(decimal.description), "\(spelling)")
        }
    }

    @Test("a range is held at both ends")
    func ranges() throws {
        let object = try JSONObject(#"{"n":60,"m":-60}"#)
        #expect(try object.integer("n", in: 60...60) == 60)
        #expect(throws: Rejection.self) { try object.integer("n", in: 61...70) }
        #expect(throws: Rejection.self) { try object.integer("n", in: 1...59) }
        #expect(try object.integer("m", in: -60...0) == -60)
        #expect(try object.integer("absent", in: 0...0) == nil)
    }
}

extension Seeded {
    /// A JSON number of at most 19 digits, often whole.
    fileprivate mutating func number() -> String {
        func digits(_ counts: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: counts, using: &self)).map { _ in
                    chance(0.4) ? "0" : Character(Unicode.Scalar(UInt8.random(in: 0x30...0x39, using: &self)))
                })
        }
        var spelling = chance(0.3) ? "-" : ""
        let whole = digits(0...10).drop { $0 == "0" }
        spelling += whole.isEmpty ? "0" : whole
        if chance(0.5) { spelling += "." + digits(1...8) }
        if chance(0.5) {
            spelling += chance(0.5) ? "e" : "E"
            spelling +=
                (["", "+", "-"].randomElement(using: &self) ?? "") + String(Int.random(in: 0...12, using: &self))
        }
        return spelling
    }
}
