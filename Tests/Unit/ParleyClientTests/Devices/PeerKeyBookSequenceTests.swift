import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

/// What may be sealed for, kept by other means than the book: every certificate and every listing that was ever shown.
private struct TrustOracle {
    struct Certified: Hashable {
        let device: Int
        let key: Int
        let time: Int64
    }

    /// What a gateway lists: by which account each device is certified, if by any.
    struct Listed {
        let account: Int?
        var devices: [Int: (key: Int, certificate: (by: Int, at: Int64)?)] = [:]
    }

    private(set) var isPinned = false
    private(set) var anchor: Int?
    private(set) var trusted: [Int: Int] = [:]
    /// The certificates by the anchor that were seen since it was pinned.
    private var seen: Set<Certified> = []
    private(set) var listed: Listed?

    mutating func list(_ listing: Listed) {
        listed = listing
        if !isPinned {
            anchor = listing.account
            if anchor == nil { trusted = listing.devices.mapValues(\.key) }
            isPinned = anchor != nil || !trusted.isEmpty
        }
        look()
    }

    mutating func accept() {
        guard let listed else { return }
        if listed.account != anchor { seen = [] }
        anchor = listed.account
        if anchor == nil { for (device, listed) in listed.devices { trusted[device] = listed.key } }
        if anchor != nil || !trusted.isEmpty { isPinned = true }
        look()
    }

    private mutating func look() {
        guard let anchor, let listed, listed.account == anchor else { return }
        for (device, listed) in listed.devices {
            guard let certificate = listed.certificate, certificate.by == anchor else { continue }
            // Of two of one instant the first one counts.
            guard !seen.contains(where: { $0.device == device && $0.time == certificate.at }) else { continue }
            let isLatest = !seen.contains { $0.device == device && $0.time > certificate.at }
            seen.insert(Certified(device: device, key: listed.key, time: certificate.at))
            if isLatest { trusted[device] = listed.key }
        }
    }

    /// The devices that are sealed for, by their keys.
    var expected: [Int: Int] {
        guard let listed else { return [:] }
        guard let anchor else { return listed.devices.compactMapValues(\.key).filter { trusted[$0.key] == $0.value } }
        guard listed.account == anchor else { return [:] }
        return listed.devices.filter { device, listed in
            guard let certificate = listed.certificate, certificate.by == anchor,
                let latest = seen.filter({ $0.device == device }).max(by: { $0.time < $1.time })
            else { return false }
            return latest.time == certificate.at && latest.key == listed.key
        }.mapValues(\.key)
    }
}

@Suite("Random histories of what a gateway lists")
struct PeerKeyBookSequenceTests {
    @Test("a device is sealed for only with a key that was pinned first, certified by the pinned account, or accepted")
    func sequences() throws {
        let f = try BookFixture()
        let accounts = [f.account, f.other, try TestAccount()]
        var made: [String: DeviceKeys] = [:]
        func keys(_ id: Int, _ key: Int, _ certificate: (by: Int, at: Int64)?) throws -> DeviceKeys {
            let name = "\(id) \(key) \(certificate.map { "\($0.by) \($0.at)" } ?? "")"
            let keys =
                try made[name]
                ?? certificate.map { by, time in
                    try accounts[by].certified(device("bob/d\(id)"), f.keys[key], at: time)
                } ?? published("d\(id)", f.keys[key])
            made[name] = keys
            return keys
        }
        var generator = Seeded(seed: 40)
        var (sealed, held, refused) = (0, 0, 0)
        for _ in 0..<1500 {
            var book = PeerKeyBook(of: f.owner)
            var oracle = TrustOracle()
            var shown: [ShownKeys] = []
            for _ in 0..<12 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0:
                    // The person accepts what is presented now.
                    guard let presented = book.presented(of: f.bob) else { break }
                    _ = try book.accept(presented)
                    oracle.accept()
                case 1:
                    // Or what was presented at some time, which may be no more.
                    guard let old = shown.randomElement(using: &generator) else { break }
                    let before = book
                    if old == book.presented(of: f.bob) {
                        _ = try book.accept(old, isCompared: true)
                        oracle.accept()
                    } else {
                        #expect(throws: KeyAcceptanceError.changed(f.bob)) { try book.accept(old) }
                        #expect(book == before)
                        refused += 1
                    }
                default:
                    let account = [nil, 0, 0, 1, 2].randomElement(using: &generator) ?? nil
                    var listed = TrustOracle.Listed(account: account)
                    for id in 0..<3 where Bool.random(using: &generator) {
                        let by = [nil, account, account, 0, 1].randomElement(using: &generator) ?? nil
                        listed.devices[id] = (
                            Int.random(in: 0..<4, using: &generator),
                            by.map { ($0, Int64.random(in: 1...3, using: &generator)) }
                        )
                    }
                    let devices = try listed.devices.sorted { $0.key < $1.key }.map { id, listed in
                        try keys(id, listed.key, listed.certificate)
                    }
                    _ = book.update(with: listing("bob", account: account.map { accounts[$0].key }, devices))
                    oracle.list(listed)
                }
                book.presented(of: f.bob).map { shown.append($0) }
                let expected = oracle.expected.map { (device("bob/d\($0.key)"), f.keys[$0.value]) }
                #expect(f.sealed(book) == Dictionary(uniqueKeysWithValues: expected))
                #expect(book.accountKey(of: f.bob) == oracle.anchor.map { accounts[$0].key })
                #expect(f.sealed(book).count + f.leftOut(book).count == oracle.listed?.devices.count ?? 0)
                #expect(PeerKeyBook(parsing: book.encoded, of: f.owner) == book)
                sealed += expected.count
                held += book.isHeld(f.bob) ? 1 : 0
            }
        }
        #expect(sealed > 1000 && held > 1000 && refused > 100, "the histories have to lead somewhere")
    }
}
