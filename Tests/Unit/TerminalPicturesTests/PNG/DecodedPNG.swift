import TestSupport
import Testing
import Zlib

@testable import TerminalPictures

/// The pixels of a file, row by row.
func decoded(_ file: [UInt8]) throws -> [[Pixel]]? {
    guard let picture = PNGPicture(file) else { return nil }
    let pixels = PNGPixels(picture)
    var result = Array(repeating: Array(repeating: Pixel(1, 2, 3, 4), count: picture.width), count: picture.height)
    var rows = try PNGRows(picture)
    try rows.forEach { (pass, index, bytes) throws(PNGError) in
        for column in 0..<pass.columns {
            result[pass.firstRow + index * pass.rowStep][pass.firstColumn + column * pass.columnStep] =
                try pixels.pixel(column, of: bytes)
        }
    }
    return result
}

extension PNGFile {
    /// A compressed zlib stream: what gzip has between its header of 10 bytes and its end of 8; `nil` where that is no
    /// shorter.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        Gzip.compress(bytes).map { [0x78, 0x9C] + $0.dropFirst(10).dropLast(8) + adler32(bytes) }
    }

    /// Each kind of pixels, with samples that differ from one to the next.
    static func ofEachKind(width: Int, height: Int) -> [PNGFile] {
        [(0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16])].flatMap { color, depths in
            depths.map { depth in
                let count = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color] ?? 1
                var file = PNGFile(width: width, height: height, depth: depth, color: color) { column, row in
                    (0..<count).map {
                        (column &* 40_503 &+ row &* 25_169 &+ $0 &* 9_973 &+ row * column) & (1 << depth - 1)
                    }
                }
                if color == 3 {
                    file.palette = (0..<(3 << depth)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
                    file.transparency = [0, 200]
                }
                return file
            }
        }
    }

    /// What a decoder has to make of the samples at a place.
    func pixel(_ column: Int, _ row: Int) -> Pixel {
        let values = samples(column, row)
        let most = Double(1 << depth - 1)
        let bytes = values.map { UInt8((Double($0) * 255 / most).rounded()) }
        let isTransparent = transparency.map { $0 == values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } } ?? false
        switch color {
        case 0: return Pixel(bytes[0], bytes[0], bytes[0], isTransparent ? 0 : 255)
        case 2: return Pixel(bytes[0], bytes[1], bytes[2], isTransparent ? 0 : 255)
        case 3:
            let (index, palette) = (values[0], palette ?? [])
            let alphas = transparency ?? []
            return Pixel(
                palette[3 * index], palette[3 * index + 1], palette[3 * index + 2],
                index < alphas.count ? alphas[index] : 255)
        case 4: return Pixel(bytes[0], bytes[0], bytes[0], bytes[1])
        default: return Pixel(bytes[0], bytes[1], bytes[2], bytes[3])
        }
    }

    var pixels: [[Pixel]] { (0..<height).map { row in (0..<width).map { pixel($0, row) } } }
}
