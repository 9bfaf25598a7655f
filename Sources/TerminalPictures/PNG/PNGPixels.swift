/// A pixel of 8 bits a sample; alpha 0 is transparent.
struct Pixel: Hashable, Sendable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8
    let alpha: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = .max) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }
}

/// Reads the pixels of a PNG's rows (PNG, third edition, §7.2, §11.2 and §11.3.1.1).
struct PNGPixels: Sendable {
    private let depth: Int
    private let color: PNGHeader.Color
    private let palette: [Pixel]
    /// The samples of the one color that is transparent; empty without one.
    private let transparent: [Int]

    init(_ picture: PNGPicture) {
        (depth, color) = (picture.header.depth, picture.header.color)
        let alphas = picture.transparency
        let colors = picture.palette
        palette = (0..<(colors.count / 3)).map { index in
            Pixel(
                colors[3 * index], colors[3 * index + 1], colors[3 * index + 2],
                alphas.indices.contains(index) ? alphas[index] : .max)
        }
        switch color {
        case .gray where alphas.count == 2, .rgb where alphas.count == 6:
            transparent = stride(from: 0, to: alphas.count, by: 2).map { alphas[$0..<($0 + 2)].bigEndian }
        case .gray, .rgb, .palette, .grayAlpha, .rgba: transparent = []
        }
    }

    /// The pixel of a column.
    func pixel(_ column: Int, of row: [UInt8]) throws(PNGError) -> Pixel {
        let first = column * color.samples
        switch color {
        case .gray:
            let sample = sample(first, of: row)
            let gray = eightBits(sample)
            return Pixel(gray, gray, gray, transparent.first == sample ? 0 : .max)
        case .grayAlpha:
            let gray = eightBits(sample(first, of: row))
            return Pixel(gray, gray, gray, eightBits(sample(first + 1, of: row)))
        case .palette:
            let index = sample(first, of: row)
            guard palette.indices.contains(index) else { throw .unknownColor }
            return palette[index]
        case .rgb:
            let (red, green, blue) = (sample(first, of: row), sample(first + 1, of: row), sample(first + 2, of: row))
            let isTransparent = !transparent.isEmpty && transparent == [red, green, blue]
            return Pixel(eightBits(red), eightBits(green), eightBits(blue), isTransparent ? 0 : .max)
        case .rgba:
            return Pixel(
                eightBits(sample(first, of: row)), eightBits(sample(first + 1, of: row)),
                eightBits(sample(first + 2, of: row)), eightBits(sample(first + 3, of: row)))
        }
    }

    /// Behind the byte that names the row's filter. Samples of less than a byte begin with its high bits.
    private func sample(_ index: Int, of row: [UInt8]) -> Int {
        switch depth {
        case 8: Int(row[1 + index])
        case 16: Int(row[1 + 2 * index]) << 8 | Int(row[2 + 2 * index])
        default: Int(row[1 + index * depth / 8]) >> (8 - depth - index * depth % 8) & (1 << depth - 1)
        }
    }

    /// Scales a sample (§13.12).
    private func eightBits(_ sample: Int) -> UInt8 {
        guard depth != 8 else { return UInt8(truncatingIfNeeded: sample) }
        let most = 1 << depth - 1
        return UInt8(clamping: (sample * 255 + most / 2) / most)
    }
}
