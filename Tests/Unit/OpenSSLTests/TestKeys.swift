/// Keys that protect nothing, as `openssl` writes them.
enum TestKeys {
    /// The key of RFC 5903 §8.1, in SEC 1.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMiPAfUQ2aw/cKKS2qIxbeVE6aq4r+hAScYqnFeGLRQzoAoGCCqGSM49
        AwEHoUQDQgAE2tC2U5QiHPmwUeH+yleH0Jjf5jf8kLnvlF0MN3JYEYBScaBGHNuC
        UtYfHEVvo+WasfRbM6zPX1g4ngV3uJkLsw==
        -----END EC PRIVATE KEY-----
        """

    /// The same in PKCS #8.
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyI8B9RDZrD9wopLa
        ojFt5UTpqriv6EBJxiqcV4YtFDOhRANCAATa0LZTlCIc+bBR4f7KV4fQmN/mN/yQ
        ue+UXQw3clgRgFJxoEYc24JS1h8cRW+j5Zqx9FszrM9fWDieBXe4mQuz
        -----END PRIVATE KEY-----
        """

    /// The same with a password.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgHHJDbUkG3DwICA+gw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPjDmKGek8osVUjAH3dw3fQEgZB1
        6bWn+PaZFLZRt01Kt382r28x89xNgvQE1JD+Ca8D6kPASGsstqiWTlsHDalrbU4e
        Hy+io8X65OyQjCMN2EdEgWUWbJltHIhkO8KwWUcH9kNydYe8oeQHWKKfHUcEydYY
        GHMhG7beJz6+hzeNwK+aTAI+fj2z14WYK+qGBbnddG3ExYgqq1ovjSnd4Y3JUXU=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// Its public half.
    static let publicOnly = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2tC2U5QiHPmwUeH+yleH0Jjf5jf8
        kLnvlF0MN3JYEYBScaBGHNuCUtYfHEVvo+WasfRbM6zPX1g4ngV3uJkLsw==
        -----END PUBLIC KEY-----
        """

    /// Of another curve.
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCKQ9PeqNTpxUb2Sgif
        NE9cprtVgPiVUHHKJvAQ9YaFKKGQ0LX9rQ75Un2kr3i6SzehZANiAAQfe/V1vehc
        XQoVPqPVI3cIGvph6bTBqOGDEhJuXR7XNeGaVAxVGd1DoVbqdE5wu0AZgqm8xIJm
        nMLe4v6RhsI5fxNaLvKq/vUM8IM//+llF9PsQLf10iT2usjXnoOs5AI=
        -----END PRIVATE KEY-----
        """

    /// Of another algorithm.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIOxCIELdy3YmmyduYRJwj4u3RwdzOacW/GDTpD7TvhX9
        -----END PRIVATE KEY-----
        """

    /// 2048 bits, in PKCS #8.
    static let rsa = """
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

    /// The same in PKCS #1.
    static let rsaPKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEAtM1bryc+prETQysjMsOBETClD7nITDqFJbP2wyKGaWFTEyum
        kT07nyCG+Sy0lzouys1E1RM/IjrAsykXPq92KvWt4r0kki9++j99QpoUCTQr4knD
        jM/hZf8LU88Qgalj2xsPLqMTfB+MReJ5Vq92QHGFLP3ekWMRa2a55amtZaTZucEn
        gqJWOUGyu+WK76WH49ReZ2E/X4+wLmzLJD7jKabthJfVKMIMO58K4BV4ppJk5UJc
        +g7AfjineSLVLpMAwZg+DyGdc4g2YECsNO/K2C4Nf/4vFwTkJquDxe3u2fn4VCGA
        hOWY5j+sDe7jBRHcyglXA2pizM1G6bUVCMBqywIDAQABAoH/PzWMWC/gN2aw1Uq/
        g3/WH6xiCJ1q6TuMUSIZox7u3uinoowgL6a4sWktxu9aM4Sj10LsTZHtAIqJ1BkJ
        h2DQbzR1FlAJ+RGh0ttfb2lul8kljnc7Zn9GzeHck/BQVQRjZLaRGDzrEvn0kHoc
        8bFmJiGJ7bDTnwCDlojTdPddJ6tjt8wwRfuRXAKExsDHXGXogHRYl2Cmh28HmGQW
        W+NkwQhU5i953/uPhUGxuAXQkXn/oLHlQg1X8IAecv2HPcYTq+6vB2uCHaXA8WLq
        nini3Z0H8tslCrgFFzS3z6CAhNPiolrFpKrH1OqRdaTM8M6YtgYaFojVa4ZfEOt5
        oX25AoGBAOUx7U4GnS1QPZVYJ2GG8KCdpiielYt8+ebct8W/NR9HTPboNk/M0C+F
        2xPruXDZMBCvK3CNdyolwNei9/58EmlrbGB+toRnVVmW1gQBA5kSu+J3ULaPqBZ0
        6UPdek0QXL9ANPQscF8D5XCfbyx1E3QvQuzjVusqXRbdO4wTv9zTAoGBAMnyjgno
        ORmhSRySKURBlhmd0EEYPtrET4pPEuPJOD0Km4GIT0kekMuJ8/nik7YFwfWFoCcy
        Gt9O5zKphQDwkNfZuG+NQvJUsRcqRHHYKa4cr/XwsBBrJkfNt1sIW9qTwUBWdK6t
        AwfU6vcjhh65KTURInr3pCNifDnMtuoQRZ8pAoGBANe5T4fyV7yP2vcXmzGDpjc3
        S27OHSnGfx0ZwGuDFkgTf1CiroQb3hPs5JByff/GnSQHDFcLAA+Oq10Lymogc9//
        uWl1uusSq9YAT/5CyhUo+eklrrW2r1o7vlcfPn8MmI92qqDstvPnoeyIVEa/B4mC
        9nYrYONF44qivuqQqDT7AoGBAJ4KTE5EhisgpW7Ok6zvBuCVOF049DeQWg8LQuUw
        m+ppWrlMS4AVg4tGMsDkKGTSrK/QGz2RYKZRwW1MbOIHYdMKd+QU0MeEr/JJCbdu
        S3AO00XNTnwK3rJis5NyPzAXYa1P+5CXpT+DyT4Pdu6kSTNWbX1+P93RPRaetqcG
        hPXBAoGBAJvAn8A84XctEFYqQxFZ5tmdsfFqotHO4+szqs54SvRcSmN0A0KN6pgq
        ICO/3ir+ilUbbGhe32g9vgSROOSQuinhiPtrgqQeAs1Ckcc/KLvhNUOhMcnfumem
        lvJxWo3ltEOl25FEZr4oIn87WlN2niXCeWvOQSpnhccBN9qoNQa/
        -----END RSA PRIVATE KEY-----
        """

    /// 1024 bits.
    static let smallRSA = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBALCSGwL9X0WdkrKe
        15ByCSoXOFrgw3rOm2oZAcTOi4PSE4g8Oe9yXovOeP1t1T1ZDcEOLDa+OVJwcw3e
        XhsXyQpBHnOHzdiM/B3BSJdbKSQDJFiZd8s7DXNNVoyPyMtTTL6NkKydeZOEioZ9
        44Gm9K1tgUYxzUgzPcjdkH4CL4i5AgMBAAECgYBqwAqApjqhVgDI6OuesrMDtYIm
        v1ivuJWRcYj2OYFzsuCILxE/yL+Mesn/PhX7vwlnvG/SsPLq+n0010nBy4GJJfXQ
        9nwT4sStmeMQaZ6yBjrAxLpolgKbA2OmSEYuDegg6MMCDQD+Eq6R3BoWEcPcDk06
        +6Yc5r98EqxY7RIpAQJBAOKztkIkQABlus9WdriwLoCCDF61J/oTVSpDxrIKnJPb
        qcuVvU4Qb7Hprrl1OVz0mAgUZVP16VwSi8Io6u/5dQkCQQDHY9U9nkLERzKJA5IF
        k/SjdsulGgjOVlYTrcaabbo3M+O9CBWSj2iE0fGA+krZPg8nXXDqpyeN2/gaGMPe
        aZIxAkA4K2rnLHAnKQ2GPdggnpaHBLHn7V7AWXXqiOx8RKDTCcQiSzGiW/Qw0sOV
        8/OIkpnwtoz8pptxUq8KJnU/jEFxAkAk8/mnS9dv7QoOnpzHb95dFT00whhztUiK
        qSAvqrpiVLmWZRMqcG2cgBRUJQ8OKBRC5Wxx8LzB68yVeZWDeOlhAkEAiGXxNv7+
        psVGgYxurRHb3JvWH5Up+ZcTh9BrzdP2LPUm15kZ+DfksQ1FBOvJYeZ8JSXLcfGb
        Ct5oTQ3zG7EOvg==
        -----END PRIVATE KEY-----
        """
}
