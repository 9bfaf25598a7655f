import Testing

@testable import ParleyProtocol

@Suite("A file of certificates")
struct CertificateFileTests {
    /// Made by openssl, with a time of two digits for the year and one of four.
    private static let files = [
        (
            """
            -----BEGIN CERTIFICATE-----
            MIIBijCCATGgAwIBAgIUAOrKQW8pfBiyZEPk2frz+119gYgwCgYIKoZIzj0EAwIw
            GzEZMBcGA1UEAwwQY2hhdC5leGFtcGxlLm9yZzAeFw0yNjExMjcxNzQwMTZaFw0y
            OTA4MjMxNzQwMTZaMBsxGTAXBgNVBAMMEGNoYXQuZXhhbXBsZS5vcmcwWTATBgcq
            hkjOPQIBBggqhkjOPQMBBwNCAATXPLNycCAWj91z5xQSO/zD4TBG/dGkQahofkS7
            0hz5jdskyRJs6/mqFhH2ulU91/Wd9qnuHNSSFT7aub2FOxw2o1MwUTAdBgNVHQ4E
            FgQU6KX6NKu5gKgYu4yn8I2EfZHffx4wHwYDVR0jBBgwFoAU6KX6NKu5gKgYu4yn
            8I2EfZHffx4wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAR4BEZ
            h9TOvy9p6D+9jMljkpzOoyDQJ9SlPjoIR2s+8AIgZmVVWKP9+1FvltnmzqUKFS4O
            f6+yBNZRhBI8rKDgTY8=
            -----END CERTIFICATE-----
            """, "2029-08-23T17:40:16.000Z"
        ),
        (
            """
            Bag Attributes: none
            -----BEGIN CERTIFICATE-----
            MIIBjTCCATOgAwIBAgIUMVk6Er2QJ2bH5Xz53UoVnSp03iswCgYIKoZIzj0EAwIw
            GzEZMBcGA1UEAwwQY2hhdC5leGFtcGxlLm9yZzAgFw0yNjExMjcxNzQwMTZaGA8y
            MDgxMDgzMDE3NDAxNlowGzEZMBcGA1UEAwwQY2hhdC5leGFtcGxlLm9yZzBZMBMG
            ByqGSM49AgEGCCqGSM49AwEHA0IABCSEnAS5i80FGK1q12wufhDuIIjduv3Q0H+o
            3rPOFIQ3iAqp+mSmlObKMjZZYYFCEqkfmA9NA/V7ivA03+/fKjmjUzBRMB0GA1Ud
            DgQWBBS6EZCK+yWp2vbJPfZz6DWN2NKrDzAfBgNVHSMEGDAWgBS6EZCK+yWp2vbJ
            PfZz6DWN2NKrDzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDn
            0A4w/8BWGqh4ImPSQqp1vcElU53j8i02ktfuHoOTOQIgbr2RKW6/zNsPKeGBY50Y
            1vLFgihKFUKSCASA91pTi78=
            -----END CERTIFICATE-----
            """, "2081-08-30T17:40:16.000Z"
        ),
    ]

    @Test("the end of the first certificate is read, whatever stands before and behind it", arguments: files)
    func end(pem: String, end: String) {
        for text in [pem, pem + "\n" + Self.files[0].0, pem.split(separator: "\n").joined(separator: "\r\n")] {
            #expect(CertificateFile.end(pem: Array(text.utf8))?.description == end)
        }
    }

    @Test("what is cut off or changed anywhere is read or not, and never traps")
    func hostile() {
        for (pem, _) in Self.files {
            let bytes = Array(pem.utf8)
            for count in 0..<bytes.count { _ = CertificateFile.end(pem: Array(bytes.prefix(count))) }
            for index in bytes.indices {
                for value in [UInt8(ascii: "A"), UInt8(ascii: "/"), UInt8(ascii: "g"), 10, 0xFF] {
                    var changed = bytes
                    changed[index] = value
                    _ = CertificateFile.end(pem: changed)
                }
            }
        }
        for text in ["", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"] {
            #expect(CertificateFile.end(pem: Array(text.utf8)) == nil)
        }
    }

    @Test(
        "the door's configuration names the file",
        arguments: [
            ("    bind :8883 ssl crt '/etc/a b.pem' tcp-ut 30s", "/etc/a b.pem"),
            ("\tbind :8883 ssl crt /etc/a.pem", "/etc/a.pem"), ("    # bind :1 ssl crt /x", nil), ("bind :1", nil),
            ("bind :1 ssl crt ''", nil), ("bind :1 ssl crt", nil), ("", nil),
            ("global\n bind :1\n bind :2 ssl crt /b.pem x\n bind :3 ssl crt /c.pem", "/b.pem"),
        ])
    func path(configuration: String, path: String?) {
        #expect(CertificateFile.path(in: configuration) == path)
    }
}
