import Testing

@testable import parley

@Suite("QR codes")
struct QRCodeTests {
    /// What a reader finds in a code, by the standard's own steps backwards: mask, placement, blocks, error correction,
    /// mode.
    private func read(_ code: QRCode) throws -> [UInt8] {
        let number = (code.size - 17) / 4
        let version = QRVersion(number: number)
        // Format: the three bits of the mask, from the copy beside the first finder pattern.
        let bits =
            (0...5).reversed().reduce(0) { $0 | (code.isDark($1, 8) ? 1 << $1 : 0) }
            | (code.isDark(7, 8) ? 1 << 6 : 0) | (code.isDark(8, 8) ? 1 << 7 : 0) | (code.isDark(8, 7) ? 1 << 8 : 0)
            | (9..<15).reduce(0) { $0 | (code.isDark(8, 14 - $1) ? 1 << $1 : 0) }
        let format = bits ^ 0x5412
        #expect(format >> 13 == 0, "level M")
        let mask = format >> 10 & 7
        var stream: [Bool] = []
        var (column, isUpward) = (code.size - 1, true)
        while column > 0 {
            if column == 6 { column -= 1 }
            for step in 0..<code.size {
                let row = isUpward ? code.size - 1 - step : step
                for each in [column, column - 1] where !isFunction(row, each, version) {
                    stream.append(code.isDark(row, each) != QRCode.flips(mask, row, each))
                }
            }
            isUpward.toggle()
            column -= 2
        }
        let codewords = stride(from: 0, to: stream.count - stream.count % 8, by: 8).map { start in
            stream[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let (correction, count) = try #require(Self.blocks[number])
        let dataCount = codewords.count - correction * count
        let (short, long) = (dataCount / count, dataCount % count)
        var blocks = [[UInt8]](repeating: [], count: count)
        var index = 0
        for position in 0...short {
            for block in 0..<count where position < short || block >= count - long {
                blocks[block].append(codewords[index])
                index += 1
            }
        }
        for _ in 0..<correction {
            for block in 0..<count {
                blocks[block].append(codewords[index])
                index += 1
            }
        }
        // A block without errors is a multiple of the divisor: it is zero at each of its roots.
        for block in blocks {
            var root: UInt8 = 1
            for _ in 0..<correction {
                #expect(block.reduce(UInt8(0)) { ReedSolomon.product($0, root) ^ $1 } == 0)
                root = ReedSolomon.product(root, 2)
            }
        }
        var data = blocks.flatMap { $0.dropLast(correction) }.flatMap { byte in
            (0..<8).reversed().map { Int(byte >> UInt8($0) & 1) }
        }[...]
        func take(_ count: Int) -> Int {
            defer { data = data.dropFirst(count) }
            return data.prefix(count).reduce(0) { $0 << 1 | $1 }
        }
        #expect(take(4) == 4, "byte mode")
        let length = take(number < 10 ? 8 : 16)
        return (0..<length).map { _ in UInt8(take(8)) }
    }

    /// From table 9 of the standard: codewords of error correction a block, and blocks, at level M.
    private static let blocks: [Int: (Int, Int)] = [
        1: (10, 1), 2: (16, 1), 3: (26, 1), 4: (18, 2), 5: (24, 2), 6: (16, 4), 7: (18, 4), 8: (22, 4), 9: (22, 5),
        10: (26, 5), 11: (30, 5), 12: (22, 8), 13: (22, 9), 14: (24, 9), 15: (24, 10),
    ]
    /// From table E.1: where alignment patterns lie.
    private static let centres: [Int: [Int]] = [
        2: [6, 18], 3: [6, 22], 4: [6, 26], 5: [6, 30], 6: [6, 34], 7: [6, 22, 38], 8: [6, 24, 42], 9: [6, 26, 46],
        10: [6, 28, 50], 11: [6, 30, 54], 12: [6, 32, 58], 13: [6, 34, 62], 14: [6, 26, 46, 66], 15: [6, 26, 48, 70],
    ]

    private func isFunction(_ row: Int, _ column: Int, _ version: QRVersion) -> Bool {
        let size = version.size
        if row == 6 || column == 6 { return true }
        if row < 9 && (column < 9 || column >= size - 8) || row >= size - 8 && column < 9 { return true }
        if version.number >= 7, row < 6 && column >= size - 11 || column < 6 && row >= size - 11 { return true }
        let centres = Self.centres[version.number] ?? []
        for (i, down) in centres.enumerated() {
            for (j, right) in centres.enumerated() {
                let last = centres.count - 1
                if i == 0 && j == 0 || i == 0 && j == last || i == last && j == 0 { continue }
                if abs(row - down) <= 2 && abs(column - right) <= 2 { return true }
            }
        }
        return false
    }

    @Test("of every length are read back, and are of the smallest version that has room")
    func roundTrip() throws {
        // Capacities of table 7, byte mode, level M.
        let capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412]
        for (index, capacity) in capacities.enumerated() {
            for count in [index == 0 ? 0 : capacities[index - 1] + 1, capacity] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ count) }
                let code = try #require(QRCode(bytes))
                #expect(code.size == (index + 1) * 4 + 17)
                #expect(try read(code) == bytes)
            }
        }
        #expect(QRCode([UInt8](repeating: 0, count: 413)) == nil)
    }

    @Test("have the patterns by which readers find them")
    func patterns() throws {
        for count in [5, 130, 400] {
            let code = try #require(QRCode([UInt8](repeating: 65, count: count)))
            for (row, column) in [(0, 0), (0, code.size - 7), (code.size - 7, 0)] {
                let lines = (0..<7).map { down in
                    (0..<7).map { code.isDark(row + down, column + $0) ? "#" : "." }.joined()
                }
                #expect(lines == ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"])
            }
            #expect((8..<code.size - 8).allSatisfy { code.isDark(6, $0) == ($0 % 2 == 0) })
            #expect(code.isDark(code.size - 8, 8))
        }
    }

    @Test("are drawn with a quiet zone of four modules, two rows a line")
    func lines() throws {
        let code = try #require(QRCode(Array("parley".utf8)))
        let lines = code.lines(inColor: false)
        #expect(lines.count == (21 + 8 + 1) / 2 && lines.allSatisfy { $0.count == 29 })
        #expect(lines[0] == String(repeating: "█", count: 29))
        #expect(code.lines(inColor: true)[0].hasPrefix("\u{1B}[97;40m█"))
    }
}
