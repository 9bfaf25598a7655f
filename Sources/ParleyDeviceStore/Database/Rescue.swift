import GRDB
import ParleyProtocol
import Sodium

extension DeviceStore {
    package struct Rescue: Hashable, Sendable {
        /// Messages that were added to this queue.
        package var rescued = 0
        /// Messages that are damaged, or were written with another key.
        package var unreadable = 0
        /// Requests that were added to this queue.
        package var rescuedRequests = 0
        /// Requests that are damaged, or were written with another key.
        package var unreadableRequests = 0
        /// Whether both queues were read to their end.
        package var isWhole = true
    }

    /// Appends the queued messages and requests of a quarantined file to the queues here, in order. Those that are here
    /// already, or were sent, are skipped.
    ///
    /// - Throws: errors of writing here; an unreadable file gives `isWhole == false`.
    package func rescue(
        from file: String, device: DeviceAddress, storageKey: SecretBytes
    ) throws(DeviceStoreError) -> Rescue {
        var rescue = Rescue()
        var found = Found()
        do {
            let cipher = try RowCipher(storageKey: storageKey, device: device)
            let old = try StoreFile(path: file, migrations: .shipped).openForReading()
            old.inDatabase { database in
                let snapshot = Snapshot(database: database, cipher: cipher)
                // Damage to one queue does not affect the other.
                let (messages, requests) = (found.readMessages(snapshot), found.readRequests(snapshot))
                rescue.isWhole = messages && requests
            }
        } catch {
            rescue.isWhole = false
        }
        for message in found.messages {
            let isRescued = try write { try $0.enqueue(rescued: message) }
            if message.content == nil { rescue.unreadable += 1 } else if isRescued { rescue.rescued += 1 }
        }
        for request in found.requests {
            let isRescued = try write { try $0.keep(rescued: request) }
            if request.content == nil {
                rescue.unreadableRequests += 1
            } else if isRescued {
                rescue.rescuedRequests += 1
            }
        }
        return rescue
    }

    /// The readable queue entries of a quarantined file.
    private struct Found {
        var messages: [QueuedMessage] = []
        var requests: [KeptRequest] = []

        /// - Returns: whether the queue was read to its end, here and below.
        mutating func readMessages(_ snapshot: Snapshot) -> Bool {
            Found.read(&messages, \.position) { try snapshot.queued(after: $0) }
        }

        mutating func readRequests(_ snapshot: Snapshot) -> Bool {
            // Earlier versions have no such table.
            let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'requests'"
            guard let found = try? snapshot.database.row(table) != nil else { return false }
            return !found || Found.read(&requests, \.position) { try snapshot.request(after: $0) }
        }

        private static func read<Entry>(
            _ entries: inout [Entry], _ position: (Entry) -> Int, next: (Int) throws -> Entry?
        ) -> Bool {
            do {
                while let entry = try next(entries.last.map(position) ?? .min) {
                    // A damaged tree may give rows in any order, and again.
                    guard position(entry) > entries.last.map(position) ?? .min else { return false }
                    entries.append(entry)
                }
                return true
            } catch {
                return false
            }
        }
    }
}
