import HTTPTypes
import NIOCore
import ParleyProtocol
import Testing

@testable import ParleyWeb

@Suite("Where a client is")
struct ClientAddressTests {
    private func network(_ peer: String?, _ forwarded: [String], takesForwarded: Bool) throws -> ClientNetwork? {
        var fields = HTTPFields()
        let name = try #require(ClientAddress.forwarded)
        for value in forwarded { fields.append(HTTPField(name: name, value: value)) }
        let address = try peer.map { try SocketAddress(ipAddress: $0, port: 1) }
        return ClientAddress.network(peer: address, fields, takesForwarded: takesForwarded)
    }

    @Test("without the setting the peer counts, whatever the header says", arguments: ["192.0.2.1", "2001:db8::1"])
    func peer(address: String) throws {
        for forwarded in [[], ["198.51.100.1"], ["198.51.100.1, 198.51.100.2"]] {
            #expect(try network(address, forwarded, takesForwarded: false) == ClientNetwork(address))
        }
        #expect(try network(nil, ["198.51.100.1"], takesForwarded: false) == nil)
    }

    @Test(
        "with it the last entry counts, which the proxy has written",
        arguments: [
            (["198.51.100.1"], "198.51.100.1"), (["203.0.113.9, 198.51.100.1"], "198.51.100.1"),
            (["203.0.113.9", "198.51.100.1"], "198.51.100.1"), (["203.0.113.9,\t198.51.100.1 "], "198.51.100.1"),
            (["2001:db8::1"], "2001:db8::ffff"), (["::ffff:198.51.100.1"], "198.51.100.1"),
            (["203.0.113.9", "x, 2001:db8:0:1::"], "2001:db8:0:1::5"), (["198.51.100.1:80"], "198.51.100.1"),
            (["[2001:db8::1]:80"], "2001:db8::1"), (["[2001:db8::1]"], "2001:db8::1"),
        ])
    func forwarded(values: [String], address: String) throws {
        #expect(try network("192.0.2.1", values, takesForwarded: true) == ClientNetwork(address))
    }

    @Test(
        "where the last entry is no address, nobody counts: neither the peer nor what stands before",
        arguments: [
            "", " ", ",", "198.51.100.1,", "198.51.100.1, unknown", "198.51.100.1, _hidden", "[2001:db8::1", "[::1]x",
            "198.51.100.256", "fe80::1%eth0", "198.51.100.1, \u{0}", "é", "[]", ":", ":80",
        ])
    func malformed(value: String) throws {
        #expect(try network("192.0.2.1", [value], takesForwarded: true) == nil)
    }

    @Test("where the proxy has written nothing, the peer counts: it is the proxy itself that asks")
    func absent() throws {
        #expect(try network("192.0.2.1", [], takesForwarded: true) == ClientNetwork("192.0.2.1"))
    }
}
