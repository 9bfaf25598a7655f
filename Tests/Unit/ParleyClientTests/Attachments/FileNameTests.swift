import ParleyClient
import Testing

@Suite("Names, kinds and doors of files")
struct FileNameTests {
    @Test(
        "a name is one component of a path, and hides nothing",
        arguments: [
            ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("C:\\x\\y.txt", "y.txt"),
            (".bashrc", "bashrc"), ("", "file"), ("..", "file"), ("a\u{202E}fdp.exe", "afdp.exe"),
            ("a\nb.txt", "ab.txt"), ("-rf", "rf"),
        ])
    func safe(name: String, expected: String) { #expect(SafeName(name).text == expected) }

    @Test("a long name keeps its ending")
    func long() {
        let name = SafeName(String(repeating: "ä", count: 500) + ".png").text
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix(".png"))
    }

    @Test("a picture is known by its first bytes alone")
    func kinds() {
        let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0, 3, 0, 0, 0, 2]
        #expect(ImageHeader(png)?.kind == .png)
        #expect(ImageHeader(png)?.width == 3)
        #expect(ImageHeader(png)?.height == 2)
        #expect(ImageHeader(Array("<svg onload=alert(1)>".utf8)) == nil)
        #expect(ImageHeader(Array("<html>".utf8)) == nil)
        #expect(ImageHeader([]) == nil)
        for count in 0..<png.count { _ = ImageHeader(Array(png.prefix(count))) }
        #expect(Thumbnail(png + [UInt8](repeating: 0, count: Thumbnail.maximumBytes)) == nil)
    }

    @Test("a token goes over TLS, or stays on this machine")
    func doors() {
        #expect(WebDoorAddress("https://chat.example.org/")?.text == "https://chat.example.org")
        #expect(WebDoorAddress("http://127.0.0.1:9893") != nil)
        for text in ["http://chat.example.org", "https://a@b", "ftp://127.0.0.1", "http://127.0.0.1:0", "https://"] {
            #expect(WebDoorAddress(text) == nil, "\(text)")
        }
    }
}
