import ParleyProtocol
import Testing

/// The digests of these bytes are in databases.
@Suite("What makes two requests the same")
struct IdentityPreimageTests {
    private static let one = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"
    private static let other = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"
    private static let sealed =
        #""suite":"nacl-box","encrypted_content":"\#(bytes(1, 16))","nonce":"\#(bytes(2, 24))""#
    private static let keys =
        #""recipient_keys":[{"user_id":"bob","device_id":"tab","encrypted_key":"\#(bytes(3, 32))","#
        + #""key_id":"\#(bytes(4, 8))"},{"user_id":"bob","device_id":"tv","encrypted_key":"\#(bytes(0, 16))"}],"#
        + #""recipient_key_id":"\#(bytes(5, 8))""#
    private static let change = #""id":"\#(one)","conversation_id":"\#(one)","message_id":"\#(other)""#
    private static let workout = #""id":"\#(one)","completed_at":"2026-01-15T09:30:00.250Z""#

    private static func bytes(_ byte: UInt8, _ count: Int) -> String {
        Base64.encode([UInt8](repeating: byte, count: count))
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let type: any RepeatableCommand.Type
        /// Of the bytes: FNV-1a, 64 bits.
        let hash: UInt64
        /// The members of the request.
        let request: String

        init(_ type: any RepeatableCommand.Type, _ hash: UInt64, _ request: String) {
            (self.type, self.hash, self.request) = (type, hash, request)
        }

        var testDescription: String { "\(type.operation) \(request)" }
    }

    static let examples = [
        Example(
            SendMessage.self, 0x6691_5fce_0192_16e1,
            #""id":"\#(one)","conversation_id":"\#(other)","message_type":"text",\#(sealed)"#),
        Example(
            SendMessage.self, 0xb485_0896_e5ea_c471,
            #""id":"\#(one)","conversation_id":"\#(other)","message_type":"diet_plan",\#(sealed),\#(keys),"#
                + #""reply_to":"\#(one)","expires_in":3600,"reply":"event","is_urgent":true"#),
        Example(
            SendMessage.self, 0x17f0_c545_fea1_063c,
            #""id":"\#(one)","conversation_id":"\#(other)","message_type":"text",\#(sealed),"#
                + #""blobs":["\#(one)","\#(other)"]"#),
        Example(
            SendMessage.self, 0x6691_5fce_0192_16e1,
            #""id":"\#(one)","conversation_id":"\#(other)","message_type":"text",\#(sealed),"blobs":[]"#),
        Example(
            CreateBlob.self, 0x95bd_2099_4d44_ca8b,
            #""id":"\#(one)","conversation_id":"\#(other)","size":1048593,"digest":"\#(bytes(6, 32))""#),
        Example(EditMessage.self, 0x3b7c_3e34_6f65_7764, #"\#(change),\#(sealed)"#),
        Example(ReactToMessage.self, 0x273e_771e_91ef_e1be, #"\#(change),\#(sealed),\#(keys)"#),
        Example(DeleteMessage.self, 0x887c_145f_5202_5de3, #"\#(change)"#),
        Example(
            CreateChallenge.self, 0x8e0e_b24e_8e04_a223,
            #""id":"\#(one)","conversation_id":"\#(other)","challenged_id":"bob","type":"steps","target":100000,"#
                + #""duration_days":7"#),
        Example(
            PostActivity.self, 0x80c8_dee0_dc25_9cfd,
            #""id":"\#(one)","type":"plan_completed","title":"Tü\"","description":"d","metadata":{"days": 7}"#),
        Example(PostActivity.self, 0xebc3_e024_caaa_1d70, #""id":"\#(one)","type":"goal_reached","title":"T""#),
        Example(
            CreateGroup.self, 0x9ed9_bf45_ec0f_4915,
            #""id":"\#(one)","name":"Läufer","time_zone":"Europe/Berlin""#),
        Example(CreateGroup.self, 0x21a2_faa8_9e1d_b689, #""name":"G""#),
        Example(
            CreateInvite.self, 0x334e_73dd_125b_d8e0,
            #""id":"\#(one)","group_id":"\#(other)","expires_in":60,"uses":3"#),
        Example(CreateInvite.self, 0x1e5d_9068_175c_9608, #""group_id":"\#(other)""#),
        Example(
            CreateReport.self, 0xc4fb_f89f_ef22_de1d,
            #""id":"\#(one)","reason":"spam","message_id":"\#(other)","evidence":{"content_key": "AAAA"}"#),
        Example(CreateReport.self, 0xab6f_e11a_10ba_b130, #""id":"\#(one)","reason":"","user_id":"bob""#),
        Example(
            LogWorkout.self, 0x3b12_3281_0d42_fd3d,
            #"\#(workout),"time_zone":"Asia/Tokyo","kind":"Run","minutes":42"#),
        Example(LogWorkout.self, 0x05a2_2218_f2ae_263d, #"\#(workout),"time_zone":"UTC","kind":"""#),
        Example(LogWorkout.self, 0x341c_1cb6_e77c_8065, #"\#(workout),"time_zone":"UTC""#),
        Example(
            LinkApproval.self, 0x83b6_c6af_df05_710d,
            #""device_id":"tab","certificate":"\#(bytes(6, 64))","issued_at":"2026-01-15T09:30:00.000Z","sealed""#
                + #":"\#(bytes(7, 80))""#),
        // Of requests about accounts, in databases for an hour: all but the address.
        Example(
            SignInByPassword.self, 0x7ee4_b173_ab82_14d4,
            #""id":"\#(one)","address":"192.0.2.1","email":"Alice@example.com","#
                + #""password":"correct \"horse\" ä","device_id":"tab","device_name":"Küche""#),
        Example(
            SignInByPassword.self, 0xd851_454d_739a_f413,
            #""id":"\#(one)","address":"2001:db8::1","email":"alice@example.com","password":"x""#),
        Example(
            SignInByProvider.self, 0xd434_f0c1_17b5_dd23,
            #""id":"\#(one)","address":"192.0.2.1","provider":"google","id_token":"a.b.c","nonce":"n","#
                + #""user_id":"alice","display_name":"Alice","device_name":"Phone""#),
        Example(
            SignInByProvider.self, 0x77b3_a8bd_9e1a_5494,
            #""id":"\#(one)","address":"192.0.2.1","provider":"google","id_token":"a.b.c""#),
        Example(
            Register.self, 0x530c_9157_8a4d_9d72,
            #""id":"\#(one)","address":"192.0.2.1","email":"alice@example.com","password":"correct horse","#
                + #""user_id":"alice""#),
        Example(
            VerifyRegistration.self, 0x4935_a148_5b65_6919,
            #""id":"\#(one)","address":"192.0.2.1","email":"alice@example.com","code":"12345678","#
                + #""password":"correct horse","device_id":"tab""#),
        Example(
            SendAccountCode.self, 0xa8a4_2045_b9c1_7e3c,
            #""id":"\#(one)","address":"192.0.2.1","email":"alice@example.com""#),
        Example(
            ResetPassword.self, 0x414e_ebc3_4560_7db5,
            #""id":"\#(one)","address":"192.0.2.1","email":"alice@example.com","code":"12345678","#
                + #""password":"correct horse""#),
        Example(
            LinkIdentity.self, 0x2fac_9d47_9ff2_d092,
            #""id":"\#(one)","email":"alice@example.com","password":"correct horse""#),
        Example(
            LinkIdentity.self, 0xe1ce_8468_0ab0_4ddf,
            #""id":"\#(one)","provider":"google","id_token":"a.b.c","current":null"#),
        Example(
            ConfirmEmail.self, 0xf203_b8f8_8256_1b5f,
            #""id":"\#(one)","email":"alice@example.com","code":"12345678""#),
        Example(
            UnlinkIdentity.self, 0x0c99_0996_f8d5_6325,
            #""id":"\#(one)","provider":"email","current":"correct horse""#),
        Example(
            SetPassword.self, 0x919b_bf6f_8169_cba1,
            #""id":"\#(one)","password":"correct horse""#),
        Example(
            DeleteAccount.self, 0x6cac_047f_95ae_7dd2,
            #""id":"\#(one)","user_id":"alice","password":"x""#),
    ]

    @Test("a request has the bytes that its digest was made of at first", arguments: examples)
    func preimages(example: Example) throws {
        let sender = DeviceAddress(user: UserID("alice"), device: DeviceID("phone"))
        let request = try example.type.init(members: JSONObject("{\(example.request)}"))
        let hash = request.identityPreimage(sender: sender).reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        #expect(hash == example.hash)
    }

    @Test("every operation with such a digest is among the examples")
    func allAreHere() {
        let operations = OperationTable.all.filter { $0 is any RepeatableCommand.Type }.map { $0.operation }
        #expect(Set(operations) == Set(Self.examples.map { $0.type.operation }))
    }
}
