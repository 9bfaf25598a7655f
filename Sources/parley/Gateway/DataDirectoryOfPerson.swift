import PrivateFiles

/// Where the tool keeps and finds devices if nobody says so.
enum DataDirectoryOfPerson {
    /// - Parameters:
    ///   - local: a gateway's directory in the present one, which comes first.
    ///   - environment: the value of a variable: `PARLEY_DATA`, which comes before all, and `XDG_DATA_HOME`, whose
    ///     relative paths are ignored (XDG Base Directory Specification).
    static func path(local: String = "./data", environment: (String) -> String?) -> String {
        if let data = environment("PARLEY_DATA") { return data }
        if (try? Files.identity(of: local)) ?? nil != nil { return local }
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/parley" }
        if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.local/share/parley" }
        return local
    }
}
