import Glibc
import PrivateFiles
import Testing

@Suite("Private files")
struct FilesTests {
    @Test("a file that is not there is said to be missing")
    func missing() {
        let error = #expect(throws: FileError.self) { try Files.read("/nowhere/at/all", maximum: 16) }
        #expect(error?.isMissing == true)
    }
}
