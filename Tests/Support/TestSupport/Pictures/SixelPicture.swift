/// What a terminal makes of sixel graphics, as far as is needed to see that it is the picture: no default colors, and
/// nothing but RGB.
package struct SixelPicture: Equatable {
    /// Each row from the left; `nil` where nothing was drawn.
    package private(set) var pixels: [[Color?]]

    package struct Color: Hashable {
        /// In percent.
        package let red, green, blue: Int

        package init(_ red: Int, _ green: Int, _ blue: Int) { (self.red, self.green, self.blue) = (red, green, blue) }
    }

    package init(pixels: [[Color?]]) { self.pixels = pixels }

    /// From what stands between `ESC P` and `ESC \`.
    ///
    /// - Returns: `nil` for anything that is not expected, such as a color that was not defined, or a pixel outside of
    ///   the size that the beginning says.
    package init?(_ text: some StringProtocol) {
        guard text.hasPrefix("0;1;0q\"") else { return nil }
        var reader = Reader(rest: Array(text.utf8.dropFirst(7)))
        let size = reader.numbers()
        guard size.count == 4, size[..<2] == [1, 1], size[2] > 0, size[3] > 0 else { return nil }
        pixels = Array(repeating: Array(repeating: nil, count: size[2]), count: size[3])
        var colors: [Int: Color] = [:]
        var (color, column, top) = (Color?.none, 0, 0)
        while let command = reader.next() {
            switch command {
            case UInt8(ascii: "#"):
                let numbers = reader.numbers()
                if numbers.count == 5, numbers[1] == 2 {
                    colors[numbers[0]] = Color(numbers[2], numbers[3], numbers[4])
                } else if numbers.count != 1 {
                    return nil
                }
                color = numbers.first.flatMap { colors[$0] }
            case UInt8(ascii: "$"): column = 0
            case UInt8(ascii: "-"): (column, top) = (0, top + 6)
            case UInt8(ascii: "!"):
                guard let count = reader.numbers().first, let sixel = reader.next() else { return nil }
                for _ in 0..<count { guard draw(sixel, color, &column, top) else { return nil } }
            default: guard draw(command, color, &column, top) else { return nil }
            }
        }
    }

    private mutating func draw(_ sixel: UInt8, _ color: Color?, _ column: inout Int, _ top: Int) -> Bool {
        guard let color, (0x3F...0x7E).contains(sixel) else { return false }
        for row in 0..<6 where (sixel - 0x3F) >> UInt8(row) & 1 == 1 {
            guard pixels.indices.contains(top + row), pixels[top + row].indices.contains(column) else { return false }
            pixels[top + row][column] = color
        }
        column += 1
        return true
    }

    private struct Reader {
        var rest: [UInt8]
        var index = 0

        mutating func next() -> UInt8? {
            guard index < rest.count else { return nil }
            defer { index += 1 }
            return rest[index]
        }

        mutating func numbers() -> [Int] {
            let digits = rest[index...].prefix { $0 == UInt8(ascii: ";") || (0x30...0x39).contains($0) }
            index = digits.endIndex
            return digits.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).compactMap {
                Int(String(decoding: $0, as: UTF8.self))
            }
        }
    }
}
