import Glibc

/// What people write at a web door: an address of email, one of the internet, a code. Each is read or refused.
@Sendable func fuzzAccount(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let email = EmailAddress(text) {
        hold(email.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address ends no line of a mail")
        hold(email.text.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 1, "an address has one place")
        hold(EmailAddress(email.normalForm) == email, "an address in lower case is the same")
    }
    if let code = AccountCode(text) { hold(Array(code.digits.utf8) == bytes, "a code is what was written") }
    let network = ClientNetwork(text)
    if let network { hold([4, 8].contains(network.bytes.count), "a network is of IPv4 or IPv6") }
    guard !bytes.contains(0) else { return }
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, text, &four) == 1 {
        hold(network?.bytes == withUnsafeBytes(of: four) { Array($0) }, "an address of IPv4 is read as by inet_pton")
    }
    if inet_pton(AF_INET6, text, &six) == 1 {
        let address = withUnsafeBytes(of: six) { Array($0) }
        let isMapped = address.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        hold(
            network?.bytes == Array(isMapped ? address[12...] : address[..<8]),
            "a network of IPv6 is read as by inet_pton")
    }
}
