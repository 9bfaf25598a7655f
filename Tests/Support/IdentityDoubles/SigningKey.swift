import HTTPDoubles
import OpenSSL
import ParleyProtocol

/// A key of a provider's, with both halves.
package struct SigningKey: Sendable {
    private enum Secret {
        case rsa(RSA.PrivateKey, modulus: String)
        case p256(P256.PrivateKey)
    }

    package let id: String
    private let secret: Secret

    /// - Parameter isOther: another key than usual.
    package static func rsa(_ id: String, isOther: Bool = false) throws -> SigningKey {
        let pem = Array((isOther ? otherRSA : TestKeys.rsa).utf8)
        return SigningKey(
            id: id, secret: .rsa(try RSA.PrivateKey(pem: pem.span), modulus: isOther ? otherModulus : modulus))
    }

    /// A new one.
    package static func p256(_ id: String) throws -> SigningKey { SigningKey(id: id, secret: .p256(try .generate())) }

    package var algorithm: String {
        switch secret {
        case .rsa: "RS256"
        case .p256: "ES256"
        }
    }

    /// The public half as a JSON Web Key.
    package var jwk: String {
        switch secret {
        case .rsa(_, let modulus): SigningKey.rsaJWK(id, modulus: modulus)
        case .p256(let key):
            """
            {"kty":"EC","crv":"P-256","kid":"\(id)","use":"sig","alg":"ES256",\
            "x":"\(Base64URL.text(of: Array(key.publicKey.bytes[1..<33]).span))",\
            "y":"\(Base64URL.text(of: Array(key.publicKey.bytes[33...]).span))"}
            """
        }
    }

    package func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch secret {
        case .rsa(let key, _): try key.sign(message.span)
        case .p256(let key): try key.sign(message.span)
        }
    }

    package static func rsaJWK(_ id: String, modulus: String, exponent: String = "AQAB") -> String {
        #"{"kty":"RSA","kid":"\#(id)","use":"sig","alg":"RS256","n":"\#(modulus)","e":"\#(exponent)"}"#
    }
}

extension SigningKey {
    /// Of ``TestKeys/rsa``.
    package static let modulus =
        "tM1bryc-prETQysjMsOBETClD7nITDqFJbP2wyKGaWFTEyumkT07nyCG-Sy0lzouys1E1RM_IjrAsykXPq92KvWt4r0kki9--j99"
        + "QpoUCTQr4knDjM_hZf8LU88Qgalj2xsPLqMTfB-MReJ5Vq92QHGFLP3ekWMRa2a55amtZaTZucEngqJWOUGyu-WK76WH49ReZ2E_"
        + "X4-wLmzLJD7jKabthJfVKMIMO58K4BV4ppJk5UJc-g7AfjineSLVLpMAwZg-DyGdc4g2YECsNO_K2C4Nf_4vFwTkJquDxe3u2fn4"
        + "VCGAhOWY5j-sDe7jBRHcyglXA2pizM1G6bUVCMBqyw"

    /// Of 512 bits.
    package static let smallModulus =
        "6Fb3SnqB6OfKO9nFwiU7mGJqFLaOpXIo4he0df-KhiVuZZnhEjJOZ4MWzCXa9oyIDeeViNp-r8Go29rQnAfDzw"

    /// Of 5120 bits.
    package static let largeModulus =
        "yvyapNtgcjTj0qLywwuKK5hqc0XmLle4CAixwnrMGejYNb7NqKyCivpzbGuKOvdl7heDQERoR-c-UQBDrgAo6w-KHC9CJJGi4vof"
        + "kRVqW97jQ-pfiieSIbFK47e-GfYWTmXTY8IaAQoYnqNlWa-Ew7jFsaz73UfrkbdAj8PAMFrh4W028IzBqrfdYR8Wi1vMZ6L7c-NL"
        + "GGFZUKQN8voq-xt4maleBwkhVuKNbtC7On1rkTNP3Ln_WCcu4Dw7mblEH8Z_tViaQu4IpRoidKHJFslSaB1hDS7ZyLiewwf9Hk5P"
        + "JX8Sy9gOUx0wrMkxojETDGJi9HeXLjTIsGr_A3U1Nwg4cNzInMitaj1TbdOyILx7JFok1xSdFny3MYbPt1qCScn48iTKgA_yizwT"
        + "aTJe5-ZCALNJ_JjckH2tausUwmXsESrqE-SQjBzg1KDFC2VVay8Jq65e3YRWJmJbpwCfKrN1v2HDSwUtJoVrBwwzK1GuZQ2EEDUI"
        + "KRSnLhEhWQpMZzQEzEVBp61JANTZwjI3ic8YVvriyFZ8Q1X8nyMHcR4AeC246R8z5yeP_ZbXMwuri0TRmcFtZE_cTxQ75fGfQQhY"
        + "_Jrye84RF7DA73v8mZ3ff8If3zRQNgp845haHygtSapdKH2PzwYEKtCDpMNDETNSYLaF2mUl8uCyCT8XNsZQPJUaK230CggpEt2p"
        + "hZeBQ-L1SzoU3wJKQzkXOOop84Lm7oq7pIGbnyFUg3C2TfQ1mN__jOw6pag0QZ-w9nOrcOtHu_toNwkcESQJlOcEmaIrKjhOCUHB"
        + "x_Ko-IfIoKP0nItESOS0e0dhfTPHe9XmBwYi0ro7zCBH_lrZcGRSpw"

    private static let otherModulus =
        "tvEdfMx_FP2Bi0LkheLYur0gF_tpikl-Trf9IrI8zwaITrSiFIPsO146HwYvvcKcgT-dP0QwXCeQvPUV2OFkJ1lTUfiFoyu8YaNB"
        + "xeg60Xb305QKMY_BDNBeH9z43zHqnFKKvAczmW5AqOgg1RKChe-wOD3nvJritF9CSkqKjep2XK3qek5tv5EhNkahbq4bOm1RTrEC"
        + "NWLJww-4VIl6BbQxjWqgCqtXPrHLTZU7AqehFfPaXyC48beJEVIagxDPuGVsF78DhjR0luaYy4QCuq2x2U0pyo5dBRPqYJ_ncMPY"
        + "UJQGLXi1fp7NoNclk7KOunUb0cZ2sohEDYoYMeZOPw"

    /// A key that protects nothing.
    private static let otherRSA = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC28R18zH8U/YGL
        QuSF4ti6vSAX+2mKSX5Ot/0isjzPBohOtKIUg+w7XjofBi+9wpyBP50/RDBcJ5C8
        9RXY4WQnWVNR+IWjK7xho0HF6DrRdvfTlAoxj8EM0F4f3PjfMeqcUoq8BzOZbkCo
        6CDVEoKF77A4Pee8muK0X0JKSoqN6nZcrep6Tm2/kSE2RqFurhs6bVFOsQI1YsnD
        D7hUiXoFtDGNaqAKq1c+sctNlTsCp6EV89pfILjxt4kRUhqDEM+4ZWwXvwOGNHSW
        5pjLhAK6rbHZTSnKjl0FE+pgn+dww9hQlAYteLV+ns2g1yWTso66dRvRxnayiEQN
        ihgx5k4/AgMBAAECggEALw+JsV/91Q19tLBpjxOTAz7BscmoFb3gMynbgYBuaidZ
        Cz4mb7acH42W0AJMZ7lXf1w4/FxzQFGhRyqZCyi4FfNBntWasyX+GPPhaKLb9qRv
        DkuH78X2OHCltfanQutZWgtVyxbjLDYThh/oykcvsnq9T0qFgZwqc5IJwIi6adUW
        QtnCvtC8PyHO0DhxNYd4ha5fpfqi1Bv27TJy/gA7IugUdwRoLzwWXFXV8HfvvhOY
        t4LKO3EbTLZmAf7PyLWjStgV2ObDoL8CUDW+mp8Na1+eD1L8l0qNxOOpMho4UIy2
        QzeJLl41pnCR5ae2Ddpe1e9aLX7FN7v3WndtTtSFqQKBgQDlhdPLrsUVMXt6/q2E
        gHufzSQdweB3UferCx8ikNXo8y237KCU5W1QOxc2AdD66Ld2w4hHpbrWksHXLRiA
        fVpbYPmhWSiuUlV7J+z3Aiwvwg5mYw7otGN2bUWrF8C6ihstwiVhdxIXpU/WbVSH
        gE1XoOYPLOjLY9Ims6KMbiLyGwKBgQDMC630NU5ps1zCqGbgEgH7MHExazi6Z8Wi
        xyoWPGbZ5Xvmn3R1iRAVnYtF1FcdQIhdid4GTqD0+ZsjHktXPznose6FtvhrG0MS
        SaKI9C88DvlCCHTj7H+V1Ws9wSykSYLjrru3Gkul7rc0Nc8fbR2fsBkEOAHQMuPd
        cnYqKxU2rQKBgQDfyF26J8qsYTR9tTZFDGh8ZC0kflV2wQpzUEKpFwIZQJCA1Uu0
        IQU1xodY9uhk2uWV/AsxoBrM/wXT4HoVPSMOGT0K3b1WSZximYjnRM0EO3aCyW5N
        4SNg4iWdLWmR9vmM4dBEeS3AtENlU++otaWzHINypFzNgaPybA6+UNvtpQKBgFtJ
        PmHrF1GitPVBcgT9CXXfjkSVu6NpmbnhcKrSCxGg4XWkEO4ki9WfzhdHkFG99UQj
        0fjwZII0yXtEqmA2ISpBsHySB0GjyLX9y4GJ/TfZWxp3vhPaUpouCPRv4BD/8lb6
        bXDVitKJodzx1eAxaPdwSUDh7a2/lsIT21myPKNhAoGALh77JDgjjVUblK+v3GAm
        YXDEEkbP+Y3PZORoPTtzXU5czz/u+705j0bO+DFnqLhTjoWGXQ/kungyAKbFgf2H
        C+VhC7FRrKLXLd4m/aaHA53RRpp/AX359D/N2Rw07ZeBamnT03LRQgvnRjlidMii
        bEZPemTxhnpnQGGLJ+23ZbA=
        -----END PRIVATE KEY-----
        """
}
