/// Makes a picture smaller while its pixels come: each pixel of the result is the average of those that it stands for.
///
/// Where the rows come from top to bottom it holds one row of the result; where they come interlaced, all.
struct PictureScaler {
    private let (width, height): (Int, Int)
    private let (sourceWidth, sourceHeight): (Int, Int)
    private let isInterlaced: Bool
    /// For each column of the source that of the result.
    private let columns: [Int]
    /// For each pixel that is held red, green and blue, each times alpha, and alpha. At most 16 Mi pixels of 255 are
    /// added up, which is less than 2^32.
    private var sums: [UInt32]

    /// In bytes.
    var heldBytes: Int { sums.count * MemoryLayout<UInt32>.size + columns.count * MemoryLayout<Int>.size }

    /// - Parameter size: of the result; no side is longer than the picture's.
    init(_ header: PNGHeader, to size: (width: Int, height: Int)) {
        (width, height) = size
        (sourceWidth, sourceHeight, isInterlaced) = (header.width, header.height, header.isInterlaced)
        columns = (0..<header.width).map { $0 * size.width / header.width }
        sums = Array(repeating: 0, count: 4 * size.width * (header.isInterlaced ? size.height : 1))
    }

    mutating func add(_ pixel: Pixel, column: Int, row: Int) {
        let index = 4 * (columns[column] + (isInterlaced ? row * height / sourceHeight * width : 0))
        let alpha = UInt32(pixel.alpha)
        sums[index] += (UInt32(pixel.red) * alpha + 127) / 255
        sums[index + 1] += (UInt32(pixel.green) * alpha + 127) / 255
        sums[index + 2] += (UInt32(pixel.blue) * alpha + 127) / 255
        sums[index + 3] += alpha
    }

    /// Whether the result's row is complete with this row of a picture that is not interlaced.
    func completesRow(_ row: Int) -> Bool {
        !isInterlaced && (row + 1) * height / sourceHeight != row * height / sourceHeight
    }

    /// Hands on the rows that are held, and begins the next. What is transparent for the greater part is so.
    mutating func takeRows(_ body: ([Pixel?]) -> Void, endingAt row: Int) {
        let first = isInterlaced ? 0 : row * height / sourceHeight
        for (held, row) in (first..<(isInterlaced ? height : first + 1)).enumerated() {
            let rows = PictureScaler.count(row, sourceHeight, height)
            body(
                (0..<width).map { column in
                    average(
                        4 * (held * width + column), of: rows * PictureScaler.count(column, sourceWidth, width))
                })
        }
        for index in sums.indices { sums[index] = 0 }
    }

    private func average(_ index: Int, of count: Int) -> Pixel? {
        let alpha = Int(sums[index + 3])
        guard alpha >= 128 * count else { return nil }
        func color(_ sum: UInt32) -> UInt8 { UInt8(clamping: (Int(sum) * 255 + alpha / 2) / alpha) }
        return Pixel(color(sums[index]), color(sums[index + 1]), color(sums[index + 2]))
    }

    /// How many of `source` pixels in a line become the one with this index, of `result`.
    private static func count(_ index: Int, _ source: Int, _ result: Int) -> Int {
        ((index + 1) * source + result - 1) / result - (index * source + result - 1) / result
    }
}
