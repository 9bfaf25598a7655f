/// The bytes by which a terminal with sixel graphics shows a picture (DEC's VT330/VT340 programmer reference, volume 2,
/// chapter 14).
package enum SixelGraphics {
    /// Decodes a PNG and draws it at the cursor, as large as fits. What is transparent stays as it is on the screen.
    package static func show(_ picture: PNGPicture, in room: PictureRoom) throws(PNGError) -> [UInt8] {
        encode(try IndexedPicture(picture, fitting: room))
    }

    static func encode(_ picture: IndexedPicture) -> [UInt8] {
        // Square pixels, and those that are not set stay as they are.
        var output = Array("\u{1B}P0;1;0q\"1;1;\(picture.width);\(picture.height)".utf8)
        var isUsed = [Bool](repeating: false, count: 256)
        for color in picture.colors { isUsed[Int(color)] = true }
        for color in 0..<ColorCube.count where isUsed[color] {
            let (red, green, blue) = ColorCube.levels(of: color)
            // In percent.
            output += Array("#\(color);2;\(red * 20);\(green * 20);\(blue * 20)".utf8)
        }
        var band = SixelBand(width: picture.width)
        for top in stride(from: 0, to: picture.height, by: SixelBand.height) {
            if top > 0 { output.append(UInt8(ascii: "-")) }
            for row in top..<min(top + SixelBand.height, picture.height) {
                let start = row * picture.width
                band.set(picture.colors[start..<(start + picture.width)], row: row - top)
            }
            band.take(to: &output)
        }
        return output + [0x1B, UInt8(ascii: "\\")]
    }
}

/// Six rows of pixels, which are drawn one color after the other.
private struct SixelBand {
    static let height = 6

    private let width: Int
    /// For each color and column the rows that have it, the topmost as the lowest bit.
    private var bits: [UInt8]
    /// Behind the last column that a color has; 0 for one that is not in the band.
    private var ends: [Int]

    init(width: Int) {
        self.width = width
        bits = Array(repeating: 0, count: ColorCube.count * width)
        ends = Array(repeating: 0, count: ColorCube.count)
    }

    mutating func set(_ colors: ArraySlice<UInt8>, row: Int) {
        for (column, color) in colors.enumerated() where color < ColorCube.count {
            bits[Int(color) * width + column] |= 1 << UInt8(row)
            ends[Int(color)] = max(ends[Int(color)], column + 1)
        }
    }

    /// Appends the sequences that draw it, and empties it.
    mutating func take(to output: inout [UInt8]) {
        var isFirst = true
        for color in ends.indices where ends[color] > 0 {
            // Back to the left edge.
            if !isFirst { output.append(UInt8(ascii: "$")) }
            isFirst = false
            output.append(UInt8(ascii: "#"))
            output += Array("\(color)".utf8)
            var column = 0
            while column < ends[color] {
                let sixel = bits[color * width + column]
                let start = column
                while column < ends[color], bits[color * width + column] == sixel {
                    bits[color * width + column] = 0
                    column += 1
                }
                SixelBand.append(0x3F + sixel, times: column - start, to: &output)
            }
            ends[color] = 0
        }
    }

    private static func append(_ character: UInt8, times count: Int, to output: inout [UInt8]) {
        guard count > 3 else {
            output += repeatElement(character, count: count)
            return
        }
        output.append(UInt8(ascii: "!"))
        output += Array("\(count)".utf8)
        output.append(character)
    }
}
