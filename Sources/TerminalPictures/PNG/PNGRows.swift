import Zlib

/// Decompresses the rows of a PNG, one after the other (PNG, third edition, §7 to §10). It holds two of them.
struct PNGRows: ~Copyable {
    private let picture: PNGPicture
    private var inflater: Inflater
    private var parts: ArraySlice<Range<Int>>
    /// What is left of the part under way.
    private var input: ArraySlice<UInt8> = []

    init(_ picture: PNGPicture) throws(PNGError) {
        self.picture = picture
        parts = picture.parts[...]
        do { inflater = try Inflater() } catch { throw PNGError(error) }
    }

    /// Hands on each row: the pass that it is of, its index there, and its bytes, the first of which is no pixel's.
    ///
    /// - Throws: for rows that are cut off or damaged. Some may have been handed on before.
    mutating func forEach(_ body: (PNGPass, Int, [UInt8]) throws(PNGError) -> Void) throws(PNGError) {
        let header = picture.header
        for pass in header.passes {
            var row = [UInt8](repeating: 0, count: header.rowLength(columns: pass.columns))
            var above = row
            for index in 0..<pass.rows {
                guard try fill(&row) else { throw .truncated }
                try PNGFilter.remove(from: &row, above: above, pixelBytes: header.pixelBytes)
                try body(pass, index, row)
                swap(&row, &above)
            }
        }
        var behind: [UInt8] = [0]
        guard try !fill(&behind), input.isEmpty, parts.allSatisfy(\.isEmpty) else { throw .tooLong }
    }

    /// Fills a row.
    ///
    /// - Returns: whether there was as much before the end of the stream.
    private mutating func fill(_ row: inout [UInt8]) throws(PNGError) -> Bool {
        var end = 0
        while end < row.count {
            let before = end
            do { end = try inflater.inflate(&input, into: &row, from: end) } catch { throw PNGError(error) }
            guard end < row.count else { return true }
            if inflater.isAtEnd { return false }
            guard input.isEmpty else { continue }
            // The inflater may hold more than it had room for.
            guard end == before else { continue }
            guard let part = parts.popFirst() else { throw .truncated }
            input = picture.bytes[part]
        }
        return true
    }
}

/// Why a PNG cannot be decoded.
package enum PNGError: Error, Hashable {
    /// Its pixels are not all there.
    case truncated
    /// There is something behind its pixels.
    case tooLong
    /// Its pixels are not compressed as they have to be.
    case damaged
    case unknownFilter
    /// A pixel has a color that the palette has not.
    case unknownColor
    case noMemory

    init(_ error: InflateError) {
        switch error {
        case .damaged: self = .damaged
        case .noMemory: self = .noMemory
        }
    }
}

/// What was done to a row so that it compresses better (PNG, third edition, §9).
enum PNGFilter: UInt8, CaseIterable {
    case none, sub, up, average, paeth

    /// Turns a row into the bytes of its pixels. The first byte of each row names its filter.
    ///
    /// - Parameters:
    ///   - above: the row above, without its filter; as long, and all zeros above the first.
    ///   - pixelBytes: how far to the left the neighbor of a byte is.
    static func remove(from row: inout [UInt8], above: [UInt8], pixelBytes: Int) throws(PNGError) {
        guard let filter = row.first.flatMap({ PNGFilter(rawValue: $0) }) else { throw .unknownFilter }
        // Left of the first pixel everything is 0.
        let first = 1..<min(1 + pixelBytes, row.count)
        let others = first.upperBound..<row.count
        switch filter {
        case .none: break
        case .sub: for index in others { row[index] &+= row[index - pixelBytes] }
        case .up: for index in 1..<row.count { row[index] &+= above[index] }
        case .average:
            for index in first { row[index] &+= above[index] / 2 }
            for index in others {
                row[index] &+= UInt8((Int(row[index - pixelBytes]) + Int(above[index])) / 2)
            }
        case .paeth:
            for index in first { row[index] &+= above[index] }
            for index in others {
                row[index] &+= nearest(row[index - pixelBytes], above[index], above[index - pixelBytes])
            }
        }
    }

    /// Of three neighbors the one that is nearest to left + above - corner (§9.4).
    private static func nearest(_ left: UInt8, _ above: UInt8, _ corner: UInt8) -> UInt8 {
        let (a, b, c) = (Int(left), Int(above), Int(corner))
        let (toLeft, toAbove, toCorner) = (abs(b - c), abs(a - c), abs(a + b - 2 * c))
        if toLeft <= toAbove, toLeft <= toCorner { return left }
        return toAbove <= toCorner ? above : corner
    }
}
