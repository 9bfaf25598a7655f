import ParleyProtocol
import TestNames
import Testing

@testable import ParleyPush

@Suite("When a service wants to be asked again")
struct RetryAfterTests {
    /// The three forms of RFC 9110 §5.6.7.
    @Test(
        "a date of HTTP is read in its forms",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func dateHTTPReadForms(_ text: String) {
        #expect(HTTPDate.parse(Array(text.utf8)) == Timestamp(milliseconds: 784_111_777_000))
    }

    @Test("a year of two digits is of this century")
    func yearTwoDigitsThis() {
        #expect(HTTPDate.parse(Array("Thursday, 15-Jan-26 09:00:30 GMT".utf8)) == at(.seconds(30)))
    }

    @Test(
        "a time is seconds or a date within a day",
        arguments: [
            ("0", Duration.zero), ("120", .seconds(120)), ("86401", .seconds(86_400)), ("9999999999", .seconds(86_400)),
            ("Thu, 15 Jan 2026 09:01:00 GMT", .seconds(60)), ("Thu, 15 Jan 2026 08:00:00 GMT", .zero),
            ("Thu, 15 Jan 2099 08:00:00 GMT", .seconds(86_400)),
        ])
    func timeSecondsOrDate(_ text: String, _ duration: Duration) {
        #expect(RetryAfter.parse(text, now: at(0)) == duration)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "-1", "1.5", " 1", "99999999999", "soon", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:37.1 GMT",
            "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 199 08:49:37 GMT", "\u{0}", "🕰 🕰 🕰 🕰 🕰", "1e3", "+5",
        ])
    func anythingElseNone(_ text: String) {
        #expect(RetryAfter.parse(text, now: at(0)) == nil)
    }
}
