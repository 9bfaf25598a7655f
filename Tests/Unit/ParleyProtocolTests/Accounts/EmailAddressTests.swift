import ParleyProtocol
import Testing

@Suite("Email addresses")
struct EmailAddressTests {
    @Test(
        "a usual address is kept as it is, and equal to itself in any case",
        arguments: [
            "alice@example.com", "Alice.B+tag@Mail.Example.COM", "a@b.co", "!#$%&'*+-/=?^_`{|}~@x-y.example",
            "1@1.example", String(repeating: "l", count: 64) + "@example.com",
            "a@\(String(repeating: "d", count: 63)).\(String(repeating: "e", count: 63)).example",
        ])
    func accepted(_ text: String) throws {
        let address = try #require(EmailAddress(text))
        #expect(address.text == text)
        #expect("\(address)" == text)
        #expect(address.normalForm == text.lowercased())
        #expect(EmailAddress(text.uppercased()) == address)
        #expect(EmailAddress(text.uppercased())?.hashValue == address.hashValue)
        #expect(text.lowercased().hasSuffix("@" + address.domain))
        #expect(EmailAddress("x" + text) != address)
    }

    @Test(
        "anything that could be more than an address is none",
        arguments: [
            "", "@", "a", "a@", "@b.example", "a@b", "a@b@c.example", "a b@c.example", " a@b.example", "a@b.example ",
            "a@b.example\r\nBcc: c@d.example", "a\n@b.example", "a\0@b.example", "a@b.example\0", "<a@b.example>",
            "A <a@b.example>", "a@b.example,c@d.example", "a;b@c.example", "a:b@c.example", "\"a\"@b.example",
            "a(b)@c.example", "a\\@b.example", ".a@b.example", "a.@b.example", "a..b@c.example", "a@.example",
            "a@b.example.", "a@b..example", "a@-b.example", "a@b-.example", "a@b_c.example", "a@[192.0.2.1]",
            "a@192.0.2.1", "a@b.1", "\u{e9}@b.example", "a@\u{fc}.example", "a@b.example\u{301}", "\u{212a}@b.example",
            "a\t@b.example", "a@b\u{ff0e}example", "a%0d%0a@", String(repeating: "l", count: 65) + "@example.com",
            "a@\(String(repeating: "d", count: 64)).example",
            "a@" + Array(repeating: String(repeating: "d", count: 50), count: 5).joined(separator: "."),
        ])
    func refused(_ text: String) { #expect(EmailAddress(text) == nil) }

    @Test("254 bytes are the most")
    func longest() {
        let domain = "@" + Array(repeating: String(repeating: "d", count: 46), count: 4).joined(separator: ".") + ".c"
        #expect(EmailAddress(String(repeating: "l", count: 254 - domain.count) + domain) != nil)
        #expect(EmailAddress(String(repeating: "l", count: 255 - domain.count) + domain) == nil)
    }
}
