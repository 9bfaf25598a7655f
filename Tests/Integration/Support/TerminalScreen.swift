/// As much of a terminal as is needed to know what a person sees: characters at their places, and the modes that are
/// on. What it does not know is kept, so that a test can say that there is none.
struct TerminalScreen {
    private(set) var columns: Int
    private var cells: [[Character]]
    private(set) var cursor = (row: 0, column: 0)
    /// Private modes that are set (`CSI ? n h`), such as 1049, the second screen.
    private(set) var modes: Set<Int> = []
    /// Whether lines wrap at the last column (mode 7), as they do from the beginning.
    private var wraps = true
    /// Sequences and controls that are not known here.
    private(set) var unknown: [String] = []
    /// Commands of kitty's graphics protocol (`APC G … ST`), without their beginning and end.
    private(set) var graphics: [String] = []
    /// Sixel graphics (`DCS … q … ST`), without their beginning and end.
    private(set) var sixels: [String] = []
    /// How often it was asked for its attributes (`CSI c`).
    private(set) var questions = 0
    /// The beginning of a sequence.
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        cells = Array(repeating: [], count: rows)
    }

    var rows: [String] { cells.map { String($0) } }
    var text: String { rows.joined(separator: "\n") }

    mutating func resize(columns: Int, rows: Int) {
        self.columns = columns
        cells = Array(repeating: [], count: rows)
    }

    mutating func show(_ bytes: [UInt8]) {
        pending += bytes
        // A character is not cut apart.
        var end = pending.count
        while end > 0, pending.count - end < 3, pending[end - 1] & 0xC0 == 0x80 { end -= 1 }
        if end > 0, pending[end - 1] >= 0xC0 { end -= 1 } else { end = pending.count }
        var rest = Substring(String(decoding: pending[..<end], as: UTF8.self))
        while let first = rest.first {
            if first == "\u{1B}" {
                guard let length = sequence(rest) else { break }
                rest = rest.dropFirst(length)
            } else {
                put(first)
                rest = rest.dropFirst()
            }
        }
        pending = Array(rest.utf8) + pending[end...]
    }

    private mutating func put(_ character: Character) {
        switch character {
        case "\r": cursor.column = 0
        case "\n": nextRow()
        case "\r\n":
            nextRow()
            cursor.column = 0
        case _ where (character.unicodeScalars.first?.value ?? 0) < 0x20: unknown.append("\(character)")
        default:
            if cursor.column >= columns, wraps {
                nextRow()
                cursor.column = 0
            }
            guard cells.indices.contains(cursor.row), cursor.column < columns else { return }
            while cells[cursor.row].count <= cursor.column { cells[cursor.row].append(" ") }
            cells[cursor.row][cursor.column] = character
            cursor.column += 1
        }
    }

    /// Behind the last row everything moves up.
    private mutating func nextRow() {
        if cursor.row < cells.count - 1 {
            cursor.row += 1
        } else if !cells.isEmpty {
            cells.removeFirst()
            cells.append([])
        }
    }

    /// Takes up the sequence at the beginning of a text.
    ///
    /// - Returns: how long it is; `nil` if it is not whole.
    private mutating func sequence(_ text: Substring) -> Int? {
        guard text.count > 1 else { return nil }
        if text.hasPrefix("\u{1B}_G") || text.hasPrefix("\u{1B}P") {
            guard let end = text.firstRange(of: "\u{1B}\\") else { return nil }
            if text.hasPrefix("\u{1B}P") {
                sixels.append(String(text.dropFirst(2)[..<end.lowerBound]))
            } else {
                graphics.append(String(text.dropFirst(3)[..<end.lowerBound]))
            }
            return text.distance(from: text.startIndex, to: end.upperBound)
        }
        guard text.dropFirst().first == "[" else {
            unknown.append(String(text.prefix(2)))
            return 2
        }
        guard let end = text.dropFirst(2).firstIndex(where: { ("@"..."~").contains($0) }) else { return nil }
        let parameters = text.dropFirst(2)[..<end]
        let numbers = parameters.drop { $0 == "?" }.split(separator: ";").compactMap { Int($0) }
        switch (text[end], parameters.first == "?") {
        case ("h", true):
            modes.formUnion(numbers)
            if numbers.contains(7) { wraps = true }
        case ("l", true):
            modes.subtract(numbers)
            if numbers.contains(7) { wraps = false }
        case ("H", false):
            cursor = ((numbers.first ?? 1) - 1, (numbers.dropFirst().first ?? 1) - 1)
        case ("J", false): for row in cells.indices { cells[row] = [] }
        case ("K", false):
            if cells.indices.contains(cursor.row) {
                cells[cursor.row].removeLast(max(0, cells[cursor.row].count - cursor.column))
            }
        case ("m", false): break
        case ("c", false): questions += 1
        default: unknown.append(String(text[...end]))
        }
        return text.distance(from: text.startIndex, to: end) + 1
    }
}
