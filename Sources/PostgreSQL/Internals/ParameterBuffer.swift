/// The values of one statement's parameters in PostgreSQL's binary form, in memory that is used again by the next.
struct ParameterBuffer: ~Copyable {
    private var bytes: [UInt8] = []
    /// Where each value begins in `bytes`; -1 for NULL.
    private var starts: [Int] = []
    private var lengths: [CInt] = []
    /// 1, binary, for each.
    private var formats: [CInt] = []

    init() {}

    /// How many bytes the values have.
    var size: Int { bytes.count }

    /// Replaces the values.
    ///
    /// - Throws: ``PostgreSQLError/wrongNumberOfValues(expected:actual:)``, `.valueDoesNotFit`
    mutating func set(_ values: [PostgreSQLValue], _ types: [ParameterType]) throws(PostgreSQLError) {
        guard values.count == types.count else {
            throw .wrongNumberOfValues(expected: types.count, actual: values.count)
        }
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        if formats.count < values.count { formats = Array(repeating: 1, count: values.count) }
        for (index, value) in values.enumerated() {
            let start = bytes.count
            let isValue = if case .null = value { false } else { true }
            guard !isValue || append(value, types[index]), let length = CInt(exactly: bytes.count - start) else {
                throw .valueDoesNotFit(parameter: index + 1, type: types[index])
            }
            starts.append(isValue ? start : -1)
            lengths.append(length)
        }
    }

    /// - Returns: whether the value is one of the type.
    private mutating func append(_ value: PostgreSQLValue, _ type: ParameterType) -> Bool {
        switch (type, value) {
        case (.int8, .integer(let number)): return append(Int64(exactly: number))
        case (.int4, .integer(let number)): return append(Int32(exactly: number))
        case (.int2, .integer(let number)): return append(Int16(exactly: number))
        case (.oid, .integer(let number)): return append(UInt32(exactly: number))
        case (.boolean, .integer(let number)):
            guard number == 0 || number == 1 else { return false }
            bytes.append(UInt8(number))
        case (.text, .text(let text)), (.varchar, .text(let text)), (.name, .text(let text)):
            // No text of PostgreSQL's holds it.
            guard !text.utf8.contains(0) else { return false }
            bytes.append(contentsOf: text.utf8)
        case (.bytes, .bytes(let value)): bytes.append(contentsOf: value)
        case (.uuid, .bytes(let value)):
            guard value.count == 16 else { return false }
            bytes.append(contentsOf: value)
        case (_, .null), (_, .integer), (_, .text), (_, .bytes): return false
        }
        return true
    }

    /// In the order of the network; `nil` does not fit.
    private mutating func append<Number: FixedWidthInteger>(_ number: Number?) -> Bool {
        guard let number else { return false }
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
        return true
    }

    /// Calls `body` with the values as C takes them: how many, their addresses (NULL for NULL), lengths and formats.
    borrowing func withCArrays(
        _ body: (
            CInt, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?
        ) -> CInt
    ) -> CInt {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: starts.count) { addresses in
                // A value without bytes has an address too, or it would be NULL; nothing is read there.
                var nothing: CChar = 0
                return unsafe withUnsafePointer(to: &nothing) { nothing in
                    let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nothing
                    for (index, start) in starts.enumerated() {
                        unsafe addresses.initializeElement(at: index, to: start < 0 ? nil : base + start)
                    }
                    return unsafe lengths.withUnsafeBufferPointer { lengths in
                        unsafe formats.withUnsafeBufferPointer { formats in
                            unsafe body(
                                CInt(clamping: starts.count), UnsafePointer(addresses.baseAddress), lengths.baseAddress,
                                formats.baseAddress)
                        }
                    }
                }
            }
        }
    }
}
