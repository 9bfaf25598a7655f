import ParleyProtocol

/// The fields of requests about accounts.
extension RequestField {
    static func ofAccounts(_ kind: any Request.Type) -> [RequestField] {
        let id = required("id", .uuid)
        let asked = [id, required("address", .network), required("email", .email)]
        let device = [optional("device_id", .level), optional("device_name", .filled(100))]
        let newUser = [optional("display_name", .filled(100)), optional("invite", .inviteToken)]
        let proof = [
            required("provider", .level), required("id_token", .filled(16_384)), optional("nonce", .filled(256)),
        ]
        switch kind {
        case is Register.Type:
            return asked + [required("password", .password(from: 8)), required("user_id", .level)] + newUser
        case is VerifyRegistration.Type:
            return asked + [required("code", .code), required("password", .password(from: 1))] + device
        case is SignInByPassword.Type: return asked + [required("password", .password(from: 1))] + device
        case is SignInByProvider.Type:
            // Who it is for, if it makes an account, is as in a registration.
            return [id, required("address", .network)] + proof + device
        case is SendAccountCode.Type: return asked
        case is ResetPassword.Type:
            return asked + [required("code", .code), required("password", .password(from: 8))]
        case is LinkIdentity.Type: return [id] + proof + [optional("current", .password(from: 1))]
        case is ConfirmEmail.Type: return [id, required("email", .email), required("code", .code)]
        case is UnlinkIdentity.Type:
            return [id, required("provider", .level), optional("current", .password(from: 1))]
        case is SetPassword.Type:
            return [
                id, optional("current", .password(from: 1)), required("password", .password(from: 8)),
            ]
        case is SignOutEverywhere.Type: return [optional("keep_this", .bool)]
        case is DeleteAccount.Type:
            return [id, required("user_id", .level), optional("password", .password(from: 1))]
        default: return []
        }
    }
}

extension FieldValues {
    static let email = FieldValues(
        good: quoted(["a@example.com", "A.b+c@Example.COM", "o'neil@x-y.z.org"]),
        bad: notStrings
            + quoted([
                "", "a", "@example.com", "a@", "a@b", "a@@example.com", "a b@example.com", "a@example.com ",
                #"a@example.com\r\nBcc: b@example.com"#, ".a@example.com", "a.@example.com", "a@-x.com", "a@x..com",
                "é@example.com", "a@exämple.com", #"a@example.com\u0000"#, "<a@example.com>", "a@127.0.0.1",
                String(repeating: "x", count: 65) + "@example.com", "a@" + String(repeating: "x.", count: 130) + "com",
            ]))

    static func password(from least: Int) -> FieldValues {
        FieldValues(
            good: quoted([
                String(repeating: "x", count: least), String(repeating: "é", count: 256), "correct horse 🐎",
            ]),
            bad: notStrings
                + quoted(["", String(repeating: "x", count: 257)])
                + (least > 1 ? quoted([String(repeating: "x", count: least - 1)]) : []))
    }

    static let code = FieldValues(
        good: quoted(["12345678", "00000000"]),
        bad: notStrings
            + quoted(["", "1234567", "123456789", "1234567x", "１２３４５６７８", "-1234567", "1234 678"]))

    static let network = FieldValues(
        good: quoted(["192.0.2.1", "::1", "2001:db8::192.0.2.1", "2001:DB8:0:0:0:0:0:1"]),
        bad: notStrings
            + quoted([
                "", "x", "192.0.2", "192.0.2.256", "2001:db8", "fe80::1%eth0", "[::1]", ":::",
                String(repeating: "1", count: 46),
            ]))

    /// A text that is not empty.
    static func filled(_ maximum: Int) -> FieldValues {
        FieldValues(
            good: quoted(["x", String(repeating: "é", count: maximum)]),
            bad: notStrings + quoted(["", String(repeating: "x", count: maximum + 1)]))
    }
}
