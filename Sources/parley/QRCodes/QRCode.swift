/// A QR code (ISO/IEC 18004) of bytes, as a square of dark and light modules: byte mode, error correction level M, of
/// the smallest version that has room, with the mask of the least penalty.
struct QRCode: Hashable, Sendable {
    /// How many modules a side has, the quiet zone not counted.
    let size: Int
    private var modules: [Bool]
    /// Those that are neither data nor masked.
    private var isFixed: [Bool]

    static let versions = 1...15

    /// - Returns: `nil` for more than 412 bytes, which version 15 holds.
    init?(_ bytes: [UInt8]) {
        guard let version = QRVersion.holding(bytes.count) else { return nil }
        let masked = (0..<8).map { QRCode(bytes, version, mask: $0) }
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self = best
    }

    private init(_ bytes: [UInt8], _ version: QRVersion, mask: Int) {
        size = version.size
        modules = Array(repeating: false, count: size * size)
        isFixed = modules
        drawFixed(version)
        drawFormat(mask)
        position(version.interleaved(version.codewords(of: bytes)))
        apply(mask)
    }

    /// Whether the module in a row and a column is dark; outside it is light.
    func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return }
        modules[row * size + column] = isDark
        isFixed[row * size + column] = true
    }

    // MARK: The fixed patterns of a version

    private mutating func drawFixed(_ version: QRVersion) {
        for index in 0..<size {
            fix(6, index, index % 2 == 0)
            fix(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
        let centres = version.alignmentCentres
        let last = centres.count - 1
        for (i, row) in centres.enumerated() {
            for (j, column) in centres.enumerated()
            where !(i == 0 && j == 0 || i == 0 && j == last || i == last && j == 0) {
                drawAlignment(row, column)
            }
        }
        drawVersion(version)
    }

    private mutating func drawFinder(_ row: Int, _ column: Int) {
        for down in -4...4 {
            for right in -4...4 {
                let distance = max(abs(down), abs(right))
                fix(row + down, column + right, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ row: Int, _ column: Int) {
        for down in -2...2 {
            for right in -2...2 { fix(row + down, column + right, max(abs(down), abs(right)) != 1) }
        }
    }

    /// Error correction level and mask, twice: 5 bits and the remainder of a BCH code, masked; and the module that is
    /// always dark.
    private mutating func drawFormat(_ mask: Int) {
        // Level M is 0.
        let bits = (mask << 10 | QRCode.remainder(of: mask, bits: 10, by: 0x537)) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 != 0 }
        for index in 0...5 { fix(index, 8, bit(index)) }
        fix(7, 8, bit(6))
        fix(8, 8, bit(7))
        fix(8, 7, bit(8))
        for index in 9..<15 { fix(8, 14 - index, bit(index)) }
        for index in 0..<8 { fix(8, size - 1 - index, bit(index)) }
        for index in 8..<15 { fix(size - 15 + index, 8, bit(index)) }
        fix(size - 8, 8, true)
    }

    private mutating func drawVersion(_ version: QRVersion) {
        guard version.number >= 7 else { return }
        let bits = version.number << 12 | QRCode.remainder(of: version.number, bits: 12, by: 0x1F25)
        for index in 0..<18 {
            let isDark = bits >> index & 1 != 0
            let (far, near) = (size - 11 + index % 3, index / 3)
            fix(near, far, isDark)
            fix(far, near, isDark)
        }
    }

    /// The remainder of a binary polynomial followed by `bits` zeros.
    private static func remainder(of value: Int, bits: Int, by divisor: Int) -> Int {
        var remainder = value
        for _ in 0..<bits { remainder = remainder << 1 ^ (remainder >> (bits - 1)) * divisor }
        return remainder
    }

    // MARK: The data

    /// Two columns at a time from the right, up and down by turns.
    private mutating func position(_ codewords: [UInt8]) {
        var index = 0
        for right in stride(from: size - 1, through: 1, by: -2) {
            // The column of the timing pattern is none.
            let right = right <= 6 ? right - 1 : right
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row * size + column] && index < codewords.count * 8 {
                    modules[row * size + column] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 != 0
                    index += 1
                }
            }
        }
    }

    private mutating func apply(_ mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row * size + column] && QRCode.flips(mask, row, column) {
                modules[row * size + column].toggle()
            }
        }
    }

    static func flips(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    // MARK: How hard it is to read

    private var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += QRCode.penalty(ofLine: (0..<size).map { modules[line * size + $0] })
            penalty += QRCode.penalty(ofLine: (0..<size).map { modules[$0 * size + line] })
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let first = isDark(row, column)
                if first == isDark(row, column + 1), first == isDark(row + 1, column),
                    first == isDark(row + 1, column + 1)
                {
                    penalty += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return penalty + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    /// Runs of five and more, and what looks like a finder pattern.
    private static func penalty(ofLine line: [Bool]) -> Int {
        var (penalty, run) = (0, 0)
        for (index, module) in line.enumerated() {
            run = index > 0 && line[index - 1] == module ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        let light = [Bool](repeating: false, count: 4)
        let finder = [true, false, true, true, true, false, true]
        for pattern in [finder + light, light + finder] where line.count >= pattern.count {
            penalty += 40 * (0...line.count - pattern.count).count { line[$0...].starts(with: pattern) }
        }
        return penalty
    }
}
