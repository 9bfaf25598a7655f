/// 216 colors: six levels each of red, green and blue. A picture needs no palette of its own, so that its rows can go
/// as they come.
enum ColorCube {
    static let count = 216
    /// The index of no color: the terminal's background is seen.
    static let transparent: UInt8 = 216
    private static let levelCount = 6
    /// Between two levels, of 255.
    static let step = 51

    static func index(red: Int, green: Int, blue: Int) -> UInt8 {
        UInt8(clamping: (red * levelCount + green) * levelCount + blue)
    }

    /// The levels of a color, from 0 to 5.
    static func levels(of index: Int) -> (red: Int, green: Int, blue: Int) {
        (index / (levelCount * levelCount), index / levelCount % levelCount, index % levelCount)
    }

    /// The level that is nearest to a value of 0 to 255.
    static func level(_ value: Int) -> Int { (value + step / 2) / step }
}

/// Finds the colors of pixels; what one of them lacks its neighbors get (error diffusion after Floyd and Steinberg), so
/// that an area has the color that it should.
struct Dithering {
    /// For each sample of this row, and of the next, in sixteenths. A pixel more at both ends, which nobody looks at.
    private var (row, next): ([Int], [Int])

    init(width: Int) {
        row = Array(repeating: 0, count: 3 * (width + 2))
        next = row
    }

    /// The colors of the next row, as indices of ``ColorCube``.
    mutating func colors(_ pixels: [Pixel?]) -> [UInt8] {
        defer {
            swap(&row, &next)
            for index in next.indices { next[index] = 0 }
        }
        var colors: [UInt8] = []
        colors.reserveCapacity(pixels.count)
        for (column, pixel) in pixels.enumerated() {
            guard let pixel else {
                colors.append(ColorCube.transparent)
                continue
            }
            let place = 3 * (column + 1)
            colors.append(
                ColorCube.index(
                    red: level(pixel.red, place), green: level(pixel.green, place + 1),
                    blue: level(pixel.blue, place + 2)))
        }
        return colors
    }

    private mutating func level(_ sample: UInt8, _ place: Int) -> Int {
        let wanted = min(max(Int(sample) + (row[place] + 8) >> 4, 0), 255)
        let level = ColorCube.level(wanted)
        let error = wanted - level * ColorCube.step
        row[place + 3] += error * 7
        next[place - 3] += error * 3
        next[place] += error * 5
        next[place + 3] += error
        return level
    }
}
