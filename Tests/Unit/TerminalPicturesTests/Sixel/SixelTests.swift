import TestSupport
import Testing

@testable import TerminalPictures

@Suite("Pictures as sixels")
struct SixelTests {
    private static let room = PictureRoom(columns: 80, rows: 24, cell: CellSize(width: 10, height: 20))

    /// What a terminal shows of the bytes.
    private func shown(_ bytes: [UInt8]) throws -> SixelPicture {
        let text = String(decoding: bytes, as: UTF8.self)
        try #require(text.hasPrefix("\u{1B}P") && text.hasSuffix("\u{1B}\\"))
        return try #require(SixelPicture(text.dropFirst(2).dropLast(2)))
    }

    private func expected(_ picture: IndexedPicture) -> SixelPicture {
        SixelPicture(
            pixels: (0..<picture.height).map { row in
                (0..<picture.width).map { column in
                    let color = Int(picture.colors[row * picture.width + column])
                    guard color < 216 else { return nil }
                    return SixelPicture.Color(color / 36 * 20, color / 6 % 6 * 20, color % 6 * 20)
                }
            })
    }

    @Test("a terminal shows the picture in the colors that were chosen, whatever its size")
    func sameColors() throws {
        for (width, height) in [(1, 1), (7, 5), (8, 6), (9, 7), (40, 13), (300, 25)] {
            for file in PNGFile.ofEachKind(width: width, height: height) {
                let png = try #require(PNGPicture(file.bytes()))
                let picture = try IndexedPicture(png, fitting: Self.room)
                #expect(picture.width == width && picture.height == height)
                let bytes = try SixelGraphics.show(png, in: Self.room)
                #expect(try shown(bytes) == expected(picture), "\(width)×\(height), \(file.color), \(file.depth)")
            }
        }
    }

    @Test("a color of the palette is shown as it is, and what is transparent is not drawn")
    func exact() throws {
        let file = PNGFile(width: 12, height: 8) { column, row in
            [column % 6 * 51, row % 6 * 51, (column + row) % 6 * 51, column < 9 ? 255 : row * 36]
        }
        let png = try #require(PNGPicture(file.bytes()))
        let shown = try shown(try SixelGraphics.show(png, in: Self.room))
        for row in 0..<8 {
            for column in 0..<12 {
                let isSeen = column < 9 || row * 36 >= 128
                let color = SixelPicture.Color(column % 6 * 20, row % 6 * 20, (column + row) % 6 * 20)
                #expect(shown.pixels[row][column] == (isSeen ? color : nil), "\(column), \(row)")
            }
        }
    }

    @Test("runs are written as such, and a row of nothing as nothing")
    func runs() {
        func encoded(_ width: Int, _ colors: [UInt8]) -> String {
            let picture = IndexedPicture(width: width, height: colors.count / width, colors: colors)
            return String(decoding: SixelGraphics.encode(picture), as: UTF8.self)
        }
        let (red, green) = (UInt8(180), UInt8(30))
        #expect(encoded(5, [red, red, red, red, red]) == "\u{1B}P0;1;0q\"1;1;5;1#180;2;100;0;0#180!5@\u{1B}\\")
        #expect(
            encoded(3, [216, red, green]) == "\u{1B}P0;1;0q\"1;1;3;1#30;2;0;100;0#180;2;100;0;0#30??@$#180?@\u{1B}\\")
        #expect(encoded(1, [216, 216, 216, 216, 216, 216, 216]) == "\u{1B}P0;1;0q\"1;1;1;7-\u{1B}\\")
        #expect(
            encoded(1, [red] + [UInt8](repeating: 216, count: 6))
                == "\u{1B}P0;1;0q\"1;1;1;7#180;2;100;0;0#180@-\u{1B}\\")
    }

    @Test("a gray area is as bright on the whole as it should be", arguments: [1, 20, 77, 100, 128, 180, 230, 254])
    func dithered(gray: Int) throws {
        let file = PNGFile(width: 60, height: 60, color: 0) { _, _ in [gray] }
        let picture = try IndexedPicture(try #require(PNGPicture(file.bytes())), fitting: Self.room)
        let mean = picture.colors.map { Int($0) % 6 * 51 }.reduce(0, +) / picture.colors.count
        #expect(abs(mean - gray) <= 2, "\(mean)")
    }

    @Test("a large picture is made smaller in its proportions, and each pixel is the average of those it stands for")
    func scaled() throws {
        // Squares of 10 pixels become one.
        for isInterlaced in [false, true] {
            var file = PNGFile(width: 8000, height: 40, color: 0) { column, row in
                [(column / 10 + row / 10).isMultiple(of: 2) ? (column.isMultiple(of: 2) ? 204 : 102) : 255]
            }
            file.isInterlaced = isInterlaced
            let picture = try IndexedPicture(try #require(PNGPicture(file.bytes())), fitting: Self.room)
            #expect(picture.width == 800 && picture.height == 4)
            for row in 0..<4 {
                for column in 0..<800 {
                    let level = (column + row).isMultiple(of: 2) ? 3 : 5
                    #expect(Int(picture.colors[row * 800 + column]) == level * 43)
                }
            }
        }
    }

    @Test(
        "a picture fits into the room, is never larger than it is, and has a pixel at least",
        arguments: [
            (800, 480, 800, 480), (801, 10, 800, 9), (1600, 960, 800, 480), (10, 4800, 1, 480), (65_535, 1, 800, 1),
            (1, 65_535, 1, 480), (3, 3, 3, 3),
        ])
    func fitted(width: Int, height: Int, fittedWidth: Int, fittedHeight: Int) {
        #expect(Self.room.fitted(width: width, height: height) == (fittedWidth, fittedHeight))
    }

    @Test("scaled by a size that divides nothing, every pixel is the average of at least one")
    func uneven() throws {
        for (width, height) in [(7, 11), (13, 5), (17, 17)] {
            let file = PNGFile(width: width, height: height, color: 0) { _, _ in [153] }
            for (columns, rows) in [(1, 1), (3, 2), (6, 4), (5, 5)] {
                let room = PictureRoom(columns: columns, rows: rows, cell: CellSize(width: 1, height: 1))
                let picture = try IndexedPicture(try #require(PNGPicture(file.bytes())), fitting: room)
                #expect(picture.colors.count == picture.width * picture.height)
                #expect(picture.colors.allSatisfy { $0 == 3 * 43 })
            }
        }
    }
}
