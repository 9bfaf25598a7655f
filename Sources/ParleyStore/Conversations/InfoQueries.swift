import GRDB
import ParleyProtocol

// What is known of the `info` that the broker retains of conversations (protocol §2).

extension Snapshot {
    /// The run of the broker that was last given everything that is to be retained on `info`.
    package func infoBroker() throws(StoreError) -> UInt64? {
        let row = try database.row("SELECT info_broker FROM publishing")
        return (row?[0] as Int64?).map(UInt64.init(bitPattern:))
    }
}

extension WriteTransaction {
    /// This run of the broker has been given everything that is to be retained on `info`.
    package func noteInfoBroker(_ broker: UInt64) throws(StoreError) {
        try database.run("UPDATE publishing SET info_broker = ?", [Int64(bitPattern: broker)])
    }
}
