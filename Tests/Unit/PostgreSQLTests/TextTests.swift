import Testing

@testable import PostgreSQL

@Suite("What a server's texts become")
struct TextTests {
    @Test("a code has five digits and capital letters")
    func codes() {
        #expect(SQLState("40001".utf8) == .serializationFailure && SQLState.serializationFailure.isTransient)
        #expect(SQLState("57P01".utf8)?.description == "57P01")
        for text in ["", "4000", "400011", "4000a", "4000 ", "4000é", "40\0001"] { #expect(SQLState(text.utf8) == nil) }
        #expect(SQLState.uniqueViolation.isOfClass("23") && !SQLState.uniqueViolation.isOfClass("22"))
    }

    @Test("a refusal to connect is found in libpq's text, in whatever language")
    func refusals() {
        let prefix = #"connection to server on socket "/x/.s.PGSQL.5432" failed: "#
        for (text, state, message) in [
            (
                "\(prefix)FATAL:  28P01: no password\nLOCATION:  auth_failed, auth.c:335\n", SQLState.invalidPassword,
                "no password"
            ),
            ("\(prefix)FATALE:  3D000: la base\nDETAIL:  secret\n", .invalidCatalogName, "la base"),
            ("\(prefix)refused\n\(prefix)FATAL:  53300: too many\n", .tooManyConnections, "too many"),
        ] {
            let error = ConnectError(message: text).error
            #expect(error == .server(sqlState: state, message: message, constraint: nil))
        }
        let lost = ConnectError(message: "a failed: refused\nDETAIL:  secret\n\nb failed: \u{7}unknown\n").error
        #expect(lost == .connection(reason: "a failed: refused; b failed:  unknown"))
        #expect(ConnectError(message: "").error == .connection(reason: ""))
        #expect(ConnectError(message: ":  \n:  :  28P0: x").error == .connection(reason: ":  ; :  :  28P0: x"))
    }

    @Test("a text for people has one line and a limit")
    func printable() {
        #expect(PrintableText.make(" a\nb\u{1B}[2J\0 ") == "a b [2J")
        #expect(PrintableText.make(String(repeating: "ü", count: 10_000)).count == PrintableText.limit)
        #expect(PrintableText.make("   ") == "")
    }

    @Test("a whole number is read from any bytes or not at all")
    func numerics() {
        func value(_ numbers: [UInt16]) -> Int? {
            let bytes = numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            return WholeNumeric.value(bytes.span)
        }
        #expect(value([0, 0, 0, 0]) == 0)
        #expect(value([1, 0, 0, 0, 42]) == 42)
        #expect(value([1, 1, 0x4000, 0, 3]) == -30_000)
        // More digits than there are, a digit too large, no power, a fraction, no number, infinity.
        for numbers in [
            [2, 1, 0, 0, 1], [1, 0, 0, 0, 10_000], [1, 0, 0, 0, 65_535], [1, 0xFFFF, 0, 0, 1], [2, 0, 0, 0, 1, 1],
            [0, 0, 0xC000, 0], [0, 0, 0xD000, 0], [1, 5, 0, 0, 1], [1, 32_767, 0, 0, 1], [65_535, 65_535, 0, 0],
            [1, 0, 0],
            [5, 4, 0, 0, 9999, 9999, 9999, 9999, 9999], [],
        ] as [[UInt16]] { #expect(value(numbers) == nil, "\(numbers)") }
    }
}
