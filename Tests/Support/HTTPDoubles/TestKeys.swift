/// Keys that protect nothing, for doubles of push services in tests.
package enum TestKeys {
    /// For `localhost` and `push.example.com`, signed by itself.
    package static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBgjCCASegAwIBAgIBAjAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBwdXNoLmV4
        YW1wbGUuY29tMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
        FwYDVQQDDBBwdXNoLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAEErjJFegT23XNPUcwLRnpBJy8SphNgtGdotyZw9rwRnZ275uYolbRzUFG2zXR
        SVxY2WELIGfskhzUMXE2Tzd2UKNaMFgwDwYDVR0TAQH/BAUwAwEB/zAmBgNVHREE
        HzAdgglsb2NhbGhvc3SCEHB1c2guZXhhbXBsZS5jb20wHQYDVR0OBBYEFNuuKNlS
        s2ReQD9+ZqZxDLPVnCRuMAoGCCqGSM49BAMCA0kAMEYCIQD9zP44I7CKeKJP8LUL
        8L3/jsLon2lr88C5UTmMbODROwIhAJiNCxqo5KPWQy6X9U02VFAWd4s0PPO/OksM
        QKD2O49s
        -----END CERTIFICATE-----
        """

    /// The same for `localhost`, which has expired at the end of 2020.
    package static let expiredCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBZjCCAQugAwIBAgIBAzAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAUMRIwEAYDVQQDDAls
        b2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQSuMkV6BPbdc09RzAt
        GekEnLxKmE2C0Z2i3JnD2vBGdnbvm5iiVtHNQUbbNdFJXFjZYQsgZ+ySHNQxcTZP
        N3ZQo04wTDAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwDwYDVR0TAQH/BAUw
        AwEB/zAdBgNVHQ4EFgQU264o2VKzZF5AP35mpnEMs9WcJG4wCgYIKoZIzj0EAwID
        SQAwRgIhALGm/D/8haaT6uTdRMuYPfHdJQdZWged/g9q8roDysCTAiEA/HbhYYnT
        9Q89CLWLJ3Av94wtKf7DxLsY0tjub4OhUD8=
        -----END CERTIFICATE-----
        """

    package static let certificateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtt81vkG+5O87WYiJ
        8brA311L+HZgow8URg5UVkMPMRKhRANCAAQSuMkV6BPbdc09RzAtGekEnLxKmE2C
        0Z2i3JnD2vBGdnbvm5iiVtHNQUbbNdFJXFjZYQsgZ+ySHNQxcTZPN3ZQ
        -----END PRIVATE KEY-----
        """

    /// Of a service account; 2048 bits.
    package static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC0zVuvJz6msRND
        KyMyw4ERMKUPuchMOoUls/bDIoZpYVMTK6aRPTufIIb5LLSXOi7KzUTVEz8iOsCz
        KRc+r3Yq9a3ivSSSL376P31CmhQJNCviScOMz+Fl/wtTzxCBqWPbGw8uoxN8H4xF
        4nlWr3ZAcYUs/d6RYxFrZrnlqa1lpNm5wSeColY5QbK75YrvpYfj1F5nYT9fj7Au
        bMskPuMppu2El9Uowgw7nwrgFXimkmTlQlz6DsB+OKd5ItUukwDBmD4PIZ1ziDZg
        QKw078rYLg1//i8XBOQmq4PF7e7Z+fhUIYCE5ZjmP6wN7uMFEdzKCVcDamLMzUbp
        tRUIwGrLAgMBAAECgf8/NYxYL+A3ZrDVSr+Df9YfrGIInWrpO4xRIhmjHu7e6Kei
        jCAvprixaS3G71ozhKPXQuxNke0AionUGQmHYNBvNHUWUAn5EaHS219vaW6XySWO
        dztmf0bN4dyT8FBVBGNktpEYPOsS+fSQehzxsWYmIYntsNOfAIOWiNN0910nq2O3
        zDBF+5FcAoTGwMdcZeiAdFiXYKaHbweYZBZb42TBCFTmL3nf+4+FQbG4BdCRef+g
        seVCDVfwgB5y/Yc9xhOr7q8Ha4IdpcDxYuqeKeLdnQfy2yUKuAUXNLfPoICE0+Ki
        WsWkqsfU6pF1pMzwzpi2BhoWiNVrhl8Q63mhfbkCgYEA5THtTgadLVA9lVgnYYbw
        oJ2mKJ6Vi3z55ty3xb81H0dM9ug2T8zQL4XbE+u5cNkwEK8rcI13KiXA16L3/nwS
        aWtsYH62hGdVWZbWBAEDmRK74ndQto+oFnTpQ916TRBcv0A09CxwXwPlcJ9vLHUT
        dC9C7ONW6ypdFt07jBO/3NMCgYEAyfKOCeg5GaFJHJIpREGWGZ3QQRg+2sRPik8S
        48k4PQqbgYhPSR6Qy4nz+eKTtgXB9YWgJzIa307nMqmFAPCQ19m4b41C8lSxFypE
        cdgprhyv9fCwEGsmR823Wwhb2pPBQFZ0rq0DB9Tq9yOGHrkpNREievekI2J8Ocy2
        6hBFnykCgYEA17lPh/JXvI/a9xebMYOmNzdLbs4dKcZ/HRnAa4MWSBN/UKKuhBve
        E+zkkHJ9/8adJAcMVwsAD46rXQvKaiBz3/+5aXW66xKr1gBP/kLKFSj56SWutbav
        Wju+Vx8+fwyYj3aqoOy28+eh7IhURr8HiYL2ditg40XjiqK+6pCoNPsCgYEAngpM
        TkSGKyClbs6TrO8G4JU4XTj0N5BaDwtC5TCb6mlauUxLgBWDi0YywOQoZNKsr9Ab
        PZFgplHBbUxs4gdh0wp35BTQx4Sv8kkJt25LcA7TRc1OfAresmKzk3I/MBdhrU/7
        kJelP4PJPg927qRJM1ZtfX4/3dE9Fp62pwaE9cECgYEAm8CfwDzhdy0QVipDEVnm
        2Z2x8Wqi0c7j6zOqznhK9FxKY3QDQo3qmCogI7/eKv6KVRtsaF7faD2+BJE45JC6
        KeGI+2uCpB4CzUKRxz8ou+E1Q6Exyd+6Z6aW8nFajeW0Q6XbkURmvigifztaU3ae
        JcJ5a85BKmeFxwE32qg1Br8=
        -----END PRIVATE KEY-----
        """
}
