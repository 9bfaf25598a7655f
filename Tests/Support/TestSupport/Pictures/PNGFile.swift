/// A PNG of a test's own making (PNG, third edition), which shares no code with what reads it.
package struct PNGFile {
    package var (width, height): (Int, Int)
    package var depth = 8
    /// 0 gray, 2 red, green and blue, 3 palette, 4 gray with alpha, 6 red, green and blue with alpha.
    package var color = 6
    package var isInterlaced = false
    package var palette: [UInt8]?
    package var transparency: [UInt8]?
    /// Which filter the row with an index has, of its pass.
    package var filter: (_ row: Int) -> UInt8 = { _ in 0 }
    /// The samples of the pixel at a column and row.
    package var samples: (_ column: Int, _ row: Int) -> [Int]

    package init(
        width: Int, height: Int, depth: Int = 8, color: Int = 6, samples: @escaping (Int, Int) -> [Int]
    ) {
        (self.width, self.height, self.depth, self.color, self.samples) = (width, height, depth, color, samples)
    }

    package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// With its pixels stored, or as a stream that the test has made of ``rows``.
    package func bytes(stream: [UInt8]? = nil) -> [UInt8] {
        let stream = stream ?? PNGFile.stored(rows)
        // In three parts, one of which is empty.
        let middle = stream.count / 2
        return PNGFile.signature + header + (palette.map { PNGFile.chunk("PLTE", $0) } ?? [])
            + (transparency.map { PNGFile.chunk("tRNS", $0) } ?? [])
            + PNGFile.chunk("IDAT", Array(stream[..<middle])) + PNGFile.chunk("IDAT")
            + PNGFile.chunk("IDAT", Array(stream[middle...])) + PNGFile.chunk("IEND")
    }

    package var header: [UInt8] {
        let rest = [depth, color, 0, 0, isInterlaced ? 1 : 0].map { UInt8(truncatingIfNeeded: $0) }
        return PNGFile.chunk("IHDR", PNGFile.bigEndian(width) + PNGFile.bigEndian(height) + rest)
    }

    /// The rows with their filters, before they are compressed.
    package var rows: [UInt8] {
        let adam7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        var result: [UInt8] = []
        for (left, top, across, down) in isInterlaced ? adam7 : [(0, 0, 1, 1)] where left < width {
            var above: [UInt8]?
            for (index, row) in stride(from: top, to: height, by: down).enumerated() {
                let packed = pack(stride(from: left, to: width, by: across).flatMap { samples($0, row) })
                result += filtered(packed, above ?? packed.map { _ in 0 }, filter(index))
                above = packed
            }
        }
        return result
    }

    private func pack(_ samples: [Int]) -> [UInt8] {
        if depth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
        var bytes = [UInt8](repeating: 0, count: (samples.count * depth + 7) / 8)
        for (index, sample) in samples.enumerated() {
            let bit = index * depth
            bytes[bit / 8] |= UInt8(sample << (8 - depth - bit % 8))
        }
        return bytes
    }

    private func filtered(_ row: [UInt8], _ above: [UInt8], _ filter: UInt8) -> [UInt8] {
        let samplesOfPixel = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color] ?? 1
        let distance = max(1, samplesOfPixel * depth / 8)
        func byte(_ row: [UInt8], _ index: Int) -> Int { index < 0 ? 0 : Int(row[index]) }
        return [filter]
            + row.indices.map { index in
                let (a, b) = (byte(row, index - distance), byte(above, index))
                let c = byte(above, index - distance)
                let guess =
                    switch filter {
                    case 1: a
                    case 2: b
                    case 3: (a + b) / 2
                    case 4: [a, b, c].min { abs(a + b - c - $0) < abs(a + b - c - $1) } ?? 0
                    default: 0
                    }
                return UInt8(truncatingIfNeeded: Int(row[index]) - guess)
            }
    }

    // MARK: Parts

    package static func chunk(_ name: String, _ content: [UInt8] = []) -> [UInt8] {
        let body = Array(name.utf8) + content
        return bigEndian(content.count) + body + bigEndian(Int(crc32(body)))
    }

    package static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4).
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let count = end - start
            stream += [end == bytes.count ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8)]
            stream += [UInt8(~count & 0xFF), UInt8(~count >> 8 & 0xFF)] + bytes[start..<end]
            start = end
        } while start < bytes.count
        return stream + adler32(bytes)
    }

    /// The checksum at the end of a zlib stream (RFC 1950 §8.2).
    package static func adler32(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return bigEndian(b << 16 | a)
    }

    package static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var checksum = UInt32.max
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~checksum
    }
}
