import TestSupport
import Testing

@testable import TerminalPictures

@Suite("Hostile PNGs")
struct HostilePNGTests {
    private static let room = PictureRoom(columns: 10, rows: 5, cell: .usual)

    /// Everything that is done with one.
    private func show(_ file: [UInt8]) {
        guard let picture = PNGPicture(file) else { return }
        _ = try? SixelGraphics.show(picture, in: Self.room)
        _ = KittyGraphics.show(picture, in: Self.room)
    }

    private static var small: [PNGFile] {
        PNGFile.ofEachKind(width: 5, height: 4).flatMap { file in
            [false, true].map { isInterlaced in
                var file = file
                file.filter = { UInt8($0 % 5) }
                file.isInterlaced = isInterlaced
                return file
            }
        }
    }

    @Test("a file that is cut off anywhere is none")
    func cutFiles() {
        for file in Self.small {
            let bytes = file.bytes()
            for count in 0..<bytes.count { #expect(PNGPicture(Array(bytes[..<count])) == nil) }
        }
    }

    @Test("a file with a changed byte anywhere is none, as its checksums say")
    func changedFiles() {
        for file in Self.small {
            let bytes = file.bytes()
            for index in bytes.indices {
                for change in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[index] ^= change
                    #expect(PNGPicture(changed) == nil, "byte \(index)")
                }
            }
        }
    }

    @Test("pixels that are cut off anywhere are an error, though their checksums are right")
    func cutStreams() throws {
        for file in Self.small {
            let stream = PNGFile.stored(file.rows)
            for count in 0..<stream.count {
                #expect(throws: PNGError.truncated, "\(count)") {
                    _ = try decoded(file.bytes(stream: Array(stream[..<count])))
                }
            }
        }
    }

    @Test(
        "changed pixels and headers are refused or shown, and neither trap nor hang, though their checksums are right")
    func changedStreams() throws {
        for file in Self.small {
            let stream = PNGFile.stored(file.rows)
            for index in stream.indices {
                for change in [0x01, 0x06, 0x80, 0xFF] as [UInt8] {
                    var changed = stream
                    changed[index] ^= change
                    show(file.bytes(stream: changed))
                }
            }
            // The filters, and the bytes of pixels, in a stream that is right for them.
            let rows = file.rows
            for index in rows.indices {
                for value in [0, 4, 5, 255] as [UInt8] {
                    var changed = rows
                    changed[index] = value
                    show(file.bytes(stream: PNGFile.stored(changed)))
                }
            }
            // Of another size and kind than the pixels.
            let tail = file.bytes().dropFirst(8 + 25)
            for index in 0..<13 {
                for value in UInt8(0)...16 {
                    var header = Array(file.header[8..<21])
                    header[index] = value
                    show(PNGFile.signature + PNGFile.chunk("IHDR", header) + tail)
                }
            }
        }
    }

    @Test("rows that are too few or too many, an unknown filter and a color that there is not are errors")
    func errors() throws {
        let file = PNGFile(width: 2, height: 2, color: 0) { column, row in [column + row] }
        func shown(_ rows: [UInt8]) throws { _ = try decoded(file.bytes(stream: PNGFile.stored(rows))) }
        #expect(throws: PNGError.truncated) { try shown(Array(file.rows.dropLast())) }
        #expect(throws: PNGError.truncated) { try shown([]) }
        #expect(throws: PNGError.tooLong) { try shown(file.rows + [0]) }
        #expect(throws: PNGError.tooLong) { _ = try decoded(file.bytes(stream: PNGFile.stored(file.rows) + [0])) }
        #expect(throws: PNGError.unknownFilter) { try shown([5, 0, 0, 0, 0, 0]) }
        #expect(throws: PNGError.damaged) { _ = try decoded(file.bytes(stream: [UInt8](repeating: 0xFF, count: 30))) }
        var stream = PNGFile.stored(file.rows)
        stream[stream.count - 1] ^= 1
        #expect(throws: PNGError.damaged) { _ = try decoded(file.bytes(stream: stream)) }
        var indexed = PNGFile(width: 1, height: 1, color: 3) { _, _ in [1] }
        indexed.palette = [1, 2, 3]
        #expect(throws: PNGError.unknownColor) { _ = try decoded(indexed.bytes()) }
    }

    @Test("a picture that says to be large and is not is given a few rows, and one that goes on without end its own")
    func bombs() throws {
        var large = PNGFile(width: 4096, height: 4096) { _, _ in [] }
        large.depth = 16
        let empty = try #require(PNGFile.compressed([UInt8](repeating: 0, count: 5000)))
        #expect(throws: PNGError.truncated) { _ = try IndexedPicture(try large.picture(empty), fitting: Self.room) }
        // One row of 16 MiB pixels cannot be: no side is longer than 65,535.
        let longest = PNGFile(width: 65_535, height: 256) { _, _ in [] }
        #expect(throws: PNGError.truncated) { _ = try IndexedPicture(try longest.picture(empty), fitting: Self.room) }
        // 8 MiB behind a picture of one pixel.
        let endless = try #require(PNGFile.compressed([UInt8](repeating: 0, count: 1 << 23)))
        let one = PNGFile(width: 1, height: 1) { _, _ in [] }
        #expect(throws: PNGError.tooLong) { _ = try IndexedPicture(try one.picture(endless), fitting: Self.room) }
    }

    @Test("what is held is a row of the result, or all of it for an interlaced picture, and never more than 64 MiB")
    func held() throws {
        let whole = PictureRoom(columns: 1000, rows: 500, cell: CellSize(width: 256, height: 256))
        for (isInterlaced, most) in [(false, 64 << 10), (true, (64 << 20) + (64 << 10))] {
            for (width, height) in [(4096, 4096), (2048, 2048), (65_535, 256), (256, 65_535), (1, 65_535)] {
                var file = PNGFile(width: width, height: height) { _, _ in [] }
                file.isInterlaced = isInterlaced
                let header = try file.picture([]).header
                let size = whole.fitted(width: width, height: height)
                #expect(size.width <= 2048 && size.height <= 2048)
                let scaler = PictureScaler(header, to: size)
                #expect(scaler.heldBytes <= most + 8 * width, "\(width)×\(height)")
                #expect(header.passes.allSatisfy { header.rowLength(columns: $0.columns) <= 65_535 * 8 + 1 })
            }
        }
    }
}

extension PNGFile {
    fileprivate func picture(_ stream: [UInt8]) throws -> PNGPicture {
        try #require(PNGPicture(bytes(stream: stream)))
    }
}
