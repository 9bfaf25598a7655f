import Testing

@testable import ParleyClient

@Suite("Filters that are wanted")
struct SubscriptionBookTests {
    private var book = SubscriptionBook()

    @Test("a filter is asked for once on each connection")
    mutating func once() {
        book.add("a")
        book.add("a")
        #expect(book.due == ["a"])
        book.markSent("a", as: PacketNumber(rawValue: 1))
        #expect(book.due.isEmpty)
        book.markDisconnected()
        #expect(book.due == ["a"])
    }

    @Test("one that is not wanted any more is ended only where it was asked for")
    mutating func dropped() {
        book.add("a")
        book.add("b")
        book.markSent("a", as: PacketNumber(rawValue: 1))
        let ended = [book.drop("a"), book.drop("b")]
        #expect(ended == [true, false])
        #expect(book.due.isEmpty)
    }

    @Test(
        "they are asked for in the order in which they were wanted, one that was dropped and is wanted again as the last"
    )
    mutating func order() {
        let filters = (0..<100).map { "filter \($0)" }
        for filter in filters { book.add(filter) }
        book.markSent("filter 0", as: PacketNumber(rawValue: 1))
        #expect(book.drop("filter 0") == true)
        book.add("filter 0")
        #expect(book.due == filters.dropFirst() + ["filter 0"])
        for filter in book.due { book.markSent(filter, as: PacketNumber(rawValue: 2)) }
        #expect(book.due.isEmpty)
        book.markDisconnected()
        #expect(book.due == filters.dropFirst() + ["filter 0"])
    }
}

@Suite("Where a gateway listens")
struct LocalEndpointTests {
    @Test("the file that parleyd writes is understood")
    func wellFormed() {
        let endpoint = LocalEndpoint(json: Array(#"{"host":"127.0.0.1","mqtt_port":1893,"ws_port":9893}"#.utf8))
        #expect(endpoint?.address == .tcp(host: "127.0.0.1", port: 1893))
    }

    @Test(
        "the scheme says whether TLS is spoken, and the file which certificates are trusted",
        arguments: [
            (#"{"host":"h","mqtt_port":8883,"scheme":"mqtt"}"#, GatewayAddress.tcp(host: "h", port: 8883)),
            (#"{"host":"h","mqtt_port":8883,"scheme":"mqtts"}"#, .tls(host: "h", port: 8883, caFile: nil)),
            (
                #"{"host":"h","mqtt_port":8883,"scheme":"mqtts","ca_file":"/a b/ca.pem"}"#,
                .tls(host: "h", port: 8883, caFile: "/a b/ca.pem")
            ),
        ])
    func scheme(json: String, address: GatewayAddress) {
        #expect(LocalEndpoint(json: Array(json.utf8))?.address == address)
    }

    @Test("the operator comes by the gateway's own socket")
    func operatorAddress() throws {
        #expect(LocalEndpoint.operatorAddress(in: "./data") == .unixSocket(path: "./data/run/broker.sock"))
        // A long way to a short path.
        let long = String(repeating: "/tmp/..", count: 20) + "/tmp"
        #expect(LocalEndpoint.operatorAddress(in: long) == .unixSocket(path: "/tmp/run/broker.sock"))
    }

    @Test(
        "anything else is not",
        arguments: [
            "", "{}", #"{"host":"h","mqtt_port":1,"scheme":"wss"}"#, #"{"host":"h","mqtt_port":1,"scheme":1}"#,
            #"{"host":"h","mqtt_port":0,"ws_port":1}"#, #"{"host":"h","mqtt_port":65536,"ws_port":1}"#,
        ])
    func malformed(json: String) {
        #expect(LocalEndpoint(json: Array(json.utf8)) == nil)
    }

    @Test("what comes on a topic that is not wanted, or not any more, was not asked for")
    func covers() {
        var book = SubscriptionBook()
        for filter in ["users/alice/events", "groups/+/events", "conversations/#"] { book.add(filter) }
        for topic in [
            "users/alice/events", "groups/1/events", "groups//events", "conversations", "conversations/1/messages",
        ] {
            #expect(book.covers(topic), "\(topic)")
        }
        for topic in [
            "users/bob/events", "users/alice", "users/alice/events/", "groups/1/2/events", "groups/1", "groups/1/event",
            "",
        ] {
            #expect(!book.covers(topic), "\(topic)")
        }
        _ = book.drop("conversations/#")
        _ = book.drop("users/alice/events")
        #expect(!book.covers("conversations/1/messages") && !book.covers("users/alice/events"))
        #expect(book.covers("groups/1/events"))
        book.markDisconnected()
        #expect(book.covers("groups/1/events"))
    }
}
