import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

@Suite("Linking")
struct LinkingTests {
    let phone: DeviceAddress
    let offer: LinkOffer

    init() throws {
        phone = try Party.alice().address
        offer = LinkOffer(
            identityKey: try Party.alice().key.bytes, signingKey: [UInt8](repeating: 7, count: 32),
            linkKey: try Party.bob().key.bytes)
    }

    @Test("a code binds the device and each of the three keys")
    func codes() throws {
        let code = try LinkCode(offer, of: phone)
        #expect(code.text.hasPrefix("parley-link/1/alice/phone/") && code.text.utf8.count == 26 + 43)
        #expect(try LinkCode(code.text) == code)
        #expect(code.binds(offer))
        let other = [UInt8](repeating: 9, count: 32)
        for changed in [
            LinkOffer(identityKey: other, signingKey: offer.signingKey, linkKey: offer.linkKey),
            LinkOffer(identityKey: offer.identityKey, signingKey: other, linkKey: offer.linkKey),
            LinkOffer(identityKey: offer.identityKey, signingKey: offer.signingKey, linkKey: other),
        ] { #expect(!code.binds(changed)) }
        #expect(
            !(try LinkCode(offer, of: try Party.bob().address)).binds(
                LinkOffer(
                    identityKey: other, signingKey: offer.signingKey, linkKey: offer.linkKey)))
    }

    @Test("a code with one letter changed is unreadable, or binds nothing that was offered")
    func slips() throws {
        let text = Array(try LinkCode(offer, of: phone).text.utf8)
        for index in text.indices {
            for letter in [UInt8(ascii: "A"), UInt8(ascii: "b"), UInt8(ascii: "0"), UInt8(ascii: "/")]
            where letter != text[index] {
                var changed = text
                changed[index] = letter
                guard let code = try? LinkCode(String(decoding: changed, as: UTF8.self)) else { continue }
                #expect(code.address != phone || !code.binds(offer))
            }
        }
    }

    @Test("what is no code is unreadable, and one of a later version is named as such")
    func unreadable() throws {
        let text = try LinkCode(offer, of: phone).text
        for bad in ["", "parley-link", "parley-link/1", "parley-safety/1/a/b/c", text + "=", text + "/", " " + text] {
            #expect(throws: LinkCodeError.unreadable) { try LinkCode(bad) }
        }
        #expect(throws: LinkCodeError.newerVersion) { try LinkCode("parley-link/2/alice/phone/x") }
        #expect(throws: LinkCodeError.unreadable) { try LinkCode("parley-link/0/alice/phone/x") }
    }

    @Test("the account is handed over to the link key alone")
    func handing() throws {
        let account = try AccountSecret.generate()
        let link = try LinkKeyPair.generate()
        let sealed = try account.sealed(for: link.publicKey)
        #expect(sealed.count == LinkApproval.sealedLength)
        #expect(try link.open(sealed).publicKey == account.publicKey)
        #expect(throws: SodiumError.notAuthentic) { try LinkKeyPair.generate().open(sealed) }
        for index in sealed.indices {
            #expect(throws: SodiumError.notAuthentic) { try link.open(sealed.flipping(index * 8 + 4)) }
        }
        #expect(throws: SodiumError.lowOrderKey) { try account.sealed(for: [UInt8](repeating: 0, count: 32)) }
    }
}
