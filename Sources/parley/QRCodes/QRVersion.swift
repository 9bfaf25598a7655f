/// A size of QR code, with its capacity at error correction level M (ISO/IEC 18004, tables 1, 7 and 9).
struct QRVersion: Hashable, Sendable {
    let number: Int

    /// Codewords of error correction in each block, and how many blocks there are; of version 1 and on.
    private static let blocks: [(correction: Int, count: Int)] = [
        (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5),
        (30, 5), (22, 8), (22, 9), (24, 9), (24, 10),
    ]

    /// The smallest version with room for `count` bytes.
    static func holding(_ count: Int) -> QRVersion? {
        QRCode.versions.lazy.map(QRVersion.init).first { count <= $0.capacity }
    }

    var size: Int { number * 4 + 17 }
    private var correction: Int { QRVersion.blocks[number - 1].correction }
    private var blockCount: Int { QRVersion.blocks[number - 1].count }

    /// All codewords, of data and of error correction.
    private var codewordCount: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let centres = number / 7 + 2
            modules -= (25 * centres - 10) * centres - 55
            if number >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private var dataCount: Int { codewordCount - correction * blockCount }
    /// The bits that say how many bytes there are.
    private var lengthBits: Int { number < 10 ? 8 : 16 }
    /// In bytes.
    var capacity: Int { (dataCount * 8 - 4 - lengthBits) / 8 }

    /// The rows, and the columns, in which alignment patterns lie.
    var alignmentCentres: [Int] {
        guard number >= 2 else { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
    }

    /// The data of bytes: mode, length, the bytes, and padding to the end.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        var bits: [UInt8] = []
        func append(_ value: Int, _ count: Int) {
            for shift in (0..<count).reversed() { bits.append(UInt8(value >> shift & 1)) }
        }
        append(0b0100, 4)
        append(bytes.count, lengthBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, dataCount * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
        }
        var padding: UInt8 = 0xEC
        while codewords.count < dataCount {
            codewords.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return codewords
    }

    /// The data in blocks, the shorter ones first, each with its error correction; then one codeword of each by turns.
    func interleaved(_ data: [UInt8]) -> [UInt8] {
        let (short, longCount) = (dataCount / blockCount, dataCount % blockCount)
        let divisor = ReedSolomon.divisor(degree: correction)
        var (blocks, corrections): ([ArraySlice<UInt8>], [[UInt8]]) = ([], [])
        var start = 0
        for index in 0..<blockCount {
            let end = start + short + (index < blockCount - longCount ? 0 : 1)
            blocks.append(data[start..<end])
            corrections.append(ReedSolomon.remainder(of: data[start..<end], by: divisor))
            start = end
        }
        var result: [UInt8] = []
        for index in 0...short {
            for block in blocks where index < block.count { result.append(block[block.startIndex + index]) }
        }
        for index in 0..<correction {
            for block in corrections { result.append(block[index]) }
        }
        return result
    }
}

/// Reed-Solomon codes over the field of 256 elements with the polynomial 0x11D.
enum ReedSolomon {
    static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product = 0
        for shift in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) * 0x11D
            if other >> UInt8(shift) & 1 != 0 { product ^= Int(one) }
        }
        return UInt8(truncatingIfNeeded: product)
    }

    /// The product of (x - 2^0) to (x - 2^(degree - 1)), the highest power, which is one, left out.
    static func divisor(degree: Int) -> [UInt8] {
        var divisor = [UInt8](repeating: 0, count: degree)
        divisor[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                divisor[index] = product(divisor[index], root)
                if index + 1 < degree { divisor[index] ^= divisor[index + 1] }
            }
            root = product(root, 2)
        }
        return divisor
    }

    static func remainder(of data: some Sequence<UInt8>, by divisor: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in divisor.indices { remainder[index] ^= product(divisor[index], factor) }
        }
        return remainder
    }
}
