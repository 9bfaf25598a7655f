import GRDB
import ParleyProtocol
import Sodium

extension DeviceStore {
    /// What `rescue` found.
    package struct Rescue: Hashable, Sendable {
        /// Messages that wait here now and did not before.
        package var rescued = 0
        /// Messages of which too little is left to send them, or that were written with another key.
        package var unreadable = 0
        /// Requests that wait here now and did not before.
        package var rescuedRequests = 0
        /// Requests of which too little is left to make them, or that were written with another key.
        package var unreadableRequests = 0
        /// Whether the file can be read to the end of what waits in it.
        package var isWhole = true
    }

    /// Brings what waits in a quarantined file behind what waits here, in its order: messages that are to be sent, and
    /// requests that are to be made. What is here already, or was sent, is left as it is.
    ///
    /// - Throws: what writing here can throw; a file that cannot be read is `Rescue.isWhole == false`.
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
                // Damage to the one does not take the other along.
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

    /// What could be read of a quarantined file.
    private struct Found {
        var messages: [QueuedMessage] = []
        var requests: [KeptRequest] = []

        /// - Returns: whether that is all, here and below.
        mutating func readMessages(_ snapshot: Snapshot) -> Bool {
            do {
                while let next = try snapshot.queued(after: messages.last?.position ?? .min) {
                    // A damaged tree may give rows in any order, and again.
                    guard next.position > messages.last?.position ?? .min else { return false }
                    messages.append(next)
                }
                return true
            } catch {
                return false
            }
        }

        mutating func readRequests(_ snapshot: Snapshot) -> Bool {
            do {
                // Earlier versions kept none.
                let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'requests'"
                guard try snapshot.database.row(table) != nil else { return true }
                while let next = try snapshot.request(after: requests.last?.position ?? .min) {
                    guard next.position > requests.last?.position ?? .min else { return false }
                    requests.append(next)
                }
                return true
            } catch {
                return false
            }
        }
    }
}
