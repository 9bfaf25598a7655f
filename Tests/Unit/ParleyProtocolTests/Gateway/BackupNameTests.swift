import Testing

@testable import ParleyProtocol

@Suite("The name of a backup")
struct BackupNameTests {
    @Test("it is that of its time, to the second, and read again")
    func times() throws {
        for text in ["2026-11-27T03:15:42.000Z", "2026-11-27T03:15:42.999Z", "1970-01-01T00:00:00.000Z"] {
            let time = try #require(Timestamp(text))
            let name = BackupName(at: time)
            #expect(name.at.milliseconds == time.milliseconds / 1000 * 1000)
            #expect(BackupName(name.description) == name)
        }
        let name = BackupName(at: try #require(Timestamp("2026-11-27T03:15:42.999Z")))
        #expect(name.description == "parley-20261127T031542Z.backup")
    }

    @Test(
        "any other name is none",
        arguments: [
            "", "parley.db", "parley-20261127T031542Z.backup.b2", "parley-20261127T031542Z.backup.part",
            "parley-20261327T031542Z.backup", "parley-20261127X031542Z.backup", "parley-20261127T031542.backup",
            "parley-2026112éT031542Z.backup", "Parley-20261127T031542Z.backup", "parley-20261127T031542z.backup",
            "parley-+0261127T031542Z.backup", "../parley-20261127T031542Z.backup",
        ])
    func others(name: String) { #expect(BackupName(name) == nil) }
}
