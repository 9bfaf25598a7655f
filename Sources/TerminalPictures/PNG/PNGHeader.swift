/// The header of a PNG: how large it is, and how its pixels are stored (PNG, third edition, §11.2.1).
struct PNGHeader: Hashable, Sendable {
    let width: Int
    let height: Int
    /// In bits of a sample; an index of the palette is one.
    let depth: Int
    let color: Color
    let isInterlaced: Bool

    enum Color: UInt8, Hashable, CaseIterable, Sendable {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        var samples: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        /// §11.2.1, table 12
        var depths: [Int] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        }
    }

    /// The content of an `IHDR` chunk has 13 bytes.
    static let length = 13
    static let longestSide = 65_535

    /// - Returns: `nil` for what the specification does not have, and for more pixels than are shown.
    init?(_ content: ArraySlice<UInt8>) {
        let bytes = Array(content)
        guard bytes.count == PNGHeader.length, let color = Color(rawValue: bytes[9]) else { return nil }
        let width = bytes[..<4].bigEndian
        let height = bytes[4..<8].bigEndian
        let sides = 1...PNGHeader.longestSide
        guard sides.contains(width), sides.contains(height), width * height <= PNGPicture.mostPixels,
            color.depths.contains(Int(bytes[8])), bytes[10] == 0, bytes[11] == 0, bytes[12] <= 1
        else { return nil }
        (self.width, self.height, self.depth, self.color) = (width, height, Int(bytes[8]), color)
        isInterlaced = bytes[12] == 1
    }

    private var bitsPerPixel: Int { depth * color.samples }

    /// How far the filters look to the left, in bytes.
    var pixelBytes: Int { max(1, bitsPerPixel / 8) }

    /// How long a row of so many pixels is, with the byte before it that names its filter.
    func rowLength(columns: Int) -> Int { 1 + (columns * bitsPerPixel + 7) / 8 }

    /// In which order the pixels come (§8.1, Adam7); those passes that have none are left out.
    var passes: [PNGPass] {
        let steps =
            isInterlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            : [(0, 0, 1, 1)]
        return steps.compactMap { column, row, columnStep, rowStep in
            let columns = (width - column + columnStep - 1) / columnStep
            let rows = (height - row + rowStep - 1) / rowStep
            guard columns > 0, rows > 0 else { return nil }
            return PNGPass(
                columns: columns, rows: rows, firstColumn: column, firstRow: row, columnStep: columnStep,
                rowStep: rowStep)
        }
    }
}

/// Every so many pixels of a picture, stored as a picture of their own.
struct PNGPass: Hashable, Sendable {
    let columns: Int
    let rows: Int
    let firstColumn: Int
    let firstRow: Int
    let columnStep: Int
    let rowStep: Int
}

extension ArraySlice<UInt8> {
    /// Of at most seven bytes.
    var bigEndian: Int { reduce(0) { $0 << 8 | Int($1) } }
}
