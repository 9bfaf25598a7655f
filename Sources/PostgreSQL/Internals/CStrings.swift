import Platform

/// Lists of C strings, as C takes them.
enum CStrings {
    /// Calls `body` with copies of `strings`, and NULL behind them.
    static func with<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe strings.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let list = unsafe copies.map { unsafe UnsafePointer<CChar>($0) } + [nil]
        return unsafe list.withUnsafeBufferPointer { list in
            guard let start = list.baseAddress else { preconditionFailure("a list with NULL is not empty") }
            return unsafe body(start)
        }
    }
}
