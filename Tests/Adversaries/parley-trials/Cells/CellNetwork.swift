import Foundation
import Launch

/// A network namespace with two links to this one: by one of them its programs reach the store, by the other HAProxy
/// reaches them. It needs root.
final class CellNetwork {
    /// Of the store, as seen from within.
    let storeAddress: String
    /// Of what runs within, as seen by HAProxy.
    let doorAddress: String
    private let number: Int
    /// Keeps the namespace as long as it runs.
    private let holder: ChildProcess

    enum Link: String { case store, door }

    static let enter = "/usr/bin/nsenter"
    private static let ip = "/usr/sbin/ip"

    /// Whether this process may make one, and has a network of its own, in which nothing else is disturbed.
    static var isPossible: Bool {
        let words = [
            ["link", "add", "parley-a", "type", "veth", "peer", "name", "parley-b"], ["link", "delete", "parley-a"],
        ]
        return words.allSatisfy { (try? ChildProcess(ip, $0).waitUntilEnded()) == 0 }
    }

    /// - Parameter number: 1 to 200.
    init(number: Int) throws {
        self.number = number
        storeAddress = "10.77.\(number).1"
        doorAddress = "10.78.\(number).2"
        holder = try ChildProcess("/usr/bin/unshare", ["--net", "/usr/bin/sleep", "infinity"])
        let process = holder
        try process.awaitStart("unshare", said: "no namespace") { [self] in hasNetwork }
        for (link, octet) in [(Link.store, 77), (.door, 78)] {
            let (outer, inner) = (name(link), "in-\(name(link))")
            try run(["link", "add", outer, "type", "veth", "peer", "name", inner])
            try run(["link", "set", inner, "netns", "\(holder.identifier)"])
            try run(["address", "add", "10.\(octet).\(number).1/24", "dev", outer])
            try run(["link", "set", outer, "up"])
            try run(["address", "add", "10.\(octet).\(number).2/24", "dev", inner], within: true)
            try run(["link", "set", inner, "up"], within: true)
        }
        try run(["link", "set", "lo", "up"], within: true)
    }

    /// The words before a program's that runs within, behind `enter`.
    var entrance: [String] { ["--net=/proc/\(holder.identifier)/ns/net", "--"] }

    /// Nothing passes a link any more, and nobody is told.
    func cut(_ link: Link) throws { try run(["link", "set", name(link), "down"]) }

    func mend(_ link: Link) throws { try run(["link", "set", name(link), "up"]) }

    private func name(_ link: Link) -> String {
        switch link {
        case .store: "store\(number)"
        case .door: "door\(number)"
        }
    }

    private var hasNetwork: Bool {
        func namespace(_ process: String) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
        }
        guard let inner = namespace("\(holder.identifier)") else { return false }
        return inner != namespace("self")
    }

    private func run(_ words: [String], within: Bool = false) throws {
        let child =
            within
            ? try ChildProcess(CellNetwork.enter, entrance + [CellNetwork.ip] + words)
            : try ChildProcess(CellNetwork.ip, words)
        guard child.waitUntilEnded() == 0 else {
            throw StartError("ip", "\(words.joined(separator: " ")) has failed; it needs root")
        }
    }
}
