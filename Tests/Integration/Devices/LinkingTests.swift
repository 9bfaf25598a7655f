import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

extension GatewayTests {
    /// Account keys and linking, as two devices of a user and a friend have them (protocol §6).
    @Suite("Linking devices")
    struct LinkingTests {
        let gateway: TestGateway
        let phone: DeviceClient
        let tablet: DeviceClient
        let bob: DeviceClient
        let account: AccountSecret

        /// Alice's phone and her tablet, and Bob, who talks with her.
        init() throws {
            gateway = try SharedGateway.current
            (phone, bob, _) = try gateway.pair()
            tablet = try gateway.client("tablet", of: phone.user)
            account = try AccountSecret.generate()
            for device in [phone, tablet, bob] { try device.subscribe("parley/v1/users/\(device.user)/events") }
        }

        private func certificate(of keys: JSON, _ device: DeviceClient) throws -> JSON {
            let certificate = try account.certify(
                device.credentials.address, identityKey: try bytes(keys["identity_key"]),
                signingKey: try bytes(keys["signing_key"]),
                at: Timestamp(milliseconds: 1_768_469_400_000))
            return [
                "certificate": .string(base64(certificate.signature)), "issued_at": .string("\(certificate.issuedAt)"),
            ]
        }

        private func certified(_ keys: JSON, _ device: DeviceClient) throws -> JSON {
            keys.with(try certificate(of: keys, device))
                .with(["account_key": .string(base64(account.publicKey.bytes))])
        }

        private func bytes(_ json: JSON) throws -> [UInt8] {
            let characters = Array(try #require(json.text).utf8)
            let bytes = Base64.decode(characters.span)
            return try #require(bytes)
        }

        private func offer(_ fields: JSON) throws -> LinkOffer {
            LinkOffer(
                identityKey: try bytes(fields["identity_key"]), signingKey: try bytes(fields["signing_key"]),
                linkKey: try bytes(fields["link_key"]))
        }

        @Test("a device is published, offered, fetched, approved and publishes; who talks with the user hears of it")
        func link() throws {
            let (own, events) = (try KeyPair().fields(for: phone), "users/\(phone.user)/events")
            let published = try phone.accepted("keys/publish", certified(own, phone))
            #expect(try bob.event("keys.changed", on: "users/\(bob.user)/events") == ["user_id": .string(phone.user)])
            #expect(try bob.accepted("keys/get", ["user_id": .string(phone.user)]) == published)
            #expect(try bytes(published["account_key"]) == account.publicKey.bytes)

            let (new, link) = (try KeyPair().fields(for: tablet), try LinkKeyPair.generate())
            let offered = new.without("signature").with(["link_key": .string(base64(link.publicKey))])
            let code = try LinkCode(try LinkCode(offer(offered), of: tablet.credentials.address).text)
            let reply = try tablet.accepted("links/offer", offered)
            #expect(try tablet.accepted("links/offer", offered) == reply)
            let event = try phone.event("link.offered", on: events)
            #expect(event == ["device_id": "tablet", "expires_at": reply["expires_at"]])
            let fetched = try phone.accepted("links/get", ["device_id": "tablet"])
            #expect(try fetched == reply && code.binds(offer(fetched)))
            #expect(try bob.refusal("links/get", ["device_id": "tablet"]) == "not_found")

            let sealed = try account.sealed(for: bytes(fetched["link_key"]))
            let approval = try certificate(of: fetched, tablet).with([
                "device_id": "tablet", "sealed": .string(base64(sealed)),
            ])
            #expect(try tablet.refusal("links/approve", approval) == "forbidden")
            for _ in 0..<2 { #expect(try phone.accepted("links/approve", approval) == [:]) }
            let heard = try tablet.event("link.approved", on: events)
            #expect(heard == approval)
            let secret = try link.open(bytes(heard["sealed"]))
            #expect(secret.publicKey == account.publicKey)
            let both = try tablet.accepted("keys/publish", certified(new, tablet))
            #expect(both["devices"].elements.map { $0["device_id"] } == ["phone", "tablet"])
            #expect(both["devices"].elements.allSatisfy { $0["certificate"] != .null })
            let listed = try phone.accepted("devices/list")["devices"].elements
            #expect(listed.map { $0["is_certified"] } == [true, true])
            // Said twice, it was told of once.
            #expect(tablet.events(on: events).allSatisfy { $0["type"] != "link.approved" })
        }
    }
}
