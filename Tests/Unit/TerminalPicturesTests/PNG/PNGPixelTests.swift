import TestSupport
import Testing

@testable import TerminalPictures

@Suite("Pixels of PNGs")
struct PNGPixelTests {
    @Test("each kind of pixels is read with each filter, stored and compressed, interlaced and not")
    func kinds() throws {
        for (width, height) in [(1, 1), (3, 2), (13, 11), (5, 9)] {
            for var file in PNGFile.ofEachKind(width: width, height: height) {
                for filter in UInt8(0)...5 {
                    // 5: all of them, one after the other.
                    file.filter = { row in filter == 5 ? UInt8((row + 1) % 5) : filter }
                    for isInterlaced in [false, true] {
                        file.isInterlaced = isInterlaced
                        let comment: Comment =
                            "\(width)×\(height), color \(file.color), depth \(file.depth), filter \(filter), \(isInterlaced)"
                        #expect(try decoded(file.bytes()) == file.pixels, comment)
                        if let stream = PNGFile.compressed(file.rows) {
                            #expect(try decoded(file.bytes(stream: stream)) == file.pixels, comment)
                        }
                    }
                }
            }
        }
    }

    @Test("large rows are read as they come, in whatever parts")
    func large() throws {
        var file = PNGFile(width: 700, height: 300, color: 2) { column, row in
            [column & 0xFF, row & 0xFF, (column / 7 + row) & 0xFF]
        }
        file.filter = { UInt8($0 % 5) }
        let stream = try #require(PNGFile.compressed(file.rows))
        #expect(try decoded(file.bytes(stream: stream)) == file.pixels)
        #expect(try decoded(file.bytes()) == file.pixels)
    }

    @Test("the one color that is transparent is so in all its bits, and a palette's colors each as they say")
    func transparency() throws {
        for (color, depth) in [(0, 1), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16)] {
            var file = try #require(
                PNGFile.ofEachKind(width: 9, height: 4).first { $0.color == color && $0.depth == depth })
            file.transparency = file.samples(4, 2).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            let pixels = try #require(try decoded(file.bytes()))
            #expect(pixels == file.pixels)
            #expect(pixels[2][4].alpha == 0)
        }
        // What has no place for another is left out.
        var gray = PNGFile(width: 1, height: 1, color: 0) { _, _ in [7] }
        gray.transparency = [0]
        #expect(try decoded(gray.bytes()) == [[Pixel(7, 7, 7)]])
        var full = PNGFile(width: 1, height: 1, color: 6) { _, _ in [1, 2, 3, 4] }
        full.transparency = [0, 1, 0, 2, 0, 3]
        #expect(try decoded(full.bytes()) == [[Pixel(1, 2, 3, 4)]])
    }
}
