import ParleyProtocol
import PrivateFiles
import TestSupport
import Testing

@testable import ParleyWeb

/// What Amazon publishes in "Signature Calculations for the Authorization Header: Transferring Payload in a Single
/// Chunk".
@Suite("Requests to S3")
struct S3SignatureTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let method: String
        var host = "127.0.0.1:9000"
        let path: String
        var query = ""
        var fields: [(name: String, value: String)] = []
        var body = ""
        var sessionToken: String?
        let signature: String

        var testDescription: String { "\(method) \(path)?\(query)" }
    }

    static let examples = [
        Example(
            method: "GET", path: "/test.txt", fields: [("range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            method: "PUT", path: "/test%24file.text",
            fields: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            method: "GET", path: "/", query: "lifecycle=",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            method: "GET", path: "/", query: "max-keys=2&prefix=J",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("signatures are those of the published examples", arguments: examples)
    func published(_ example: Example) throws {
        let credentials = try #require(
            S3Credentials(keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
        let signature = S3Signature(credentials: credentials, region: "us-east-1")
        let request = S3Signature.Request(
            method: example.method, host: "examplebucket.s3.amazonaws.com", path: example.path, query: example.query,
            fields: example.fields, payloadDigest: try S3Signature.digest(Array(example.body.utf8).span))
        let time = try #require(Timestamp("2013-05-24T00:00:00.000Z"))
        let value = try signature.sign(request, at: time).last { $0.name == "authorization" }?.value
        #expect(value?.hasSuffix("Signature=\(example.signature)") == true)
        #expect("\(credentials) \(signature)".contains("wJalr") == false)
    }

    /// Signed by botocore 1.44.8 (`botocore.auth.S3SigV4Auth`, AKIDEXAMPLE, region eu-central-1, 2026-01-15T09:30:00Z):
    /// what the store asks, as it writes it.
    static let requests = [
        Example(
            method: "PUT", path: "/blobs/a/b/incoming/00/00001", body: "a part",
            signature: "5efc49bec876cfe0415fbdcd0713a3f240ec2f409f7192fcf72d3bd1cc518bed"),
        Example(
            method: "GET", path: "/blobs",
            query: "list-type=2&max-keys=1000&prefix=a%2Fb%2Fincoming%2F&start-after=a%2Fb%2Fincoming%2F00%2F00001",
            signature: "c88e4907540cb0aaedba130b4d26222da5b66c8072b09b55f5f0e0496ed0fb66"),
        Example(
            method: "GET", path: "/blobs/complete/00",
            fields: [("if-match", #""9b2cf535f27731c974343645a3985328""#), ("range", "bytes=0-1048575")],
            signature: "57cf209af69cde28f152004d7805228d4902dd421f1785405dab78ce73925aa5"),
        Example(
            method: "POST", path: "/blobs/complete/00", query: "uploads=",
            signature: "3a4d8d94adb6f443c1b037cf183ac3945b6365c871bd580bcab0ed7c56dfd352"),
        Example(
            method: "PUT", path: "/blobs/complete/00", query: "partNumber=2&uploadId=a%2Bb%2Fc%3D%3D",
            fields: [
                ("x-amz-copy-source", "/blobs/incoming/00/00002"),
                ("x-amz-copy-source-if-match", #""9b2cf535f27731c974343645a3985328""#),
            ], signature: "6a816f31f124d84e47c152a71281813bbfa4a21a18f63a33a91fe9a440b4aa0a"),
        Example(
            method: "POST", host: "s3.example", path: "/blobs/complete/00", query: "uploadId=x",
            fields: [("content-type", "application/xml")],
            body: "<CompleteMultipartUpload></CompleteMultipartUpload>",
            signature: "a2d2a7bfe1e1bd0ba7601a7e670afa7acb6a21cc35d9f3e54574adf61de0ba09"),
        Example(
            method: "DELETE", host: "s3.example", path: "/blobs/complete/00",
            sessionToken: "FwoGZXIvYXdzEXAMPLE//////////token==",
            signature: "6c4bf947a9230d568f498621a4eacef3f512cd35a075fc52af4676dda132486a"),
        Example(
            method: "HEAD", host: "s3.example:8443", path: "/blobs/complete/00",
            signature: "710c1d289f015e010e67a108ebb4987293aade71fb8ea8e925bb2b3f6a897091"),
    ]

    @Test("signatures are those of another program", arguments: requests)
    func foreign(_ example: Example) throws {
        let credentials = try #require(
            S3Credentials(
                keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                sessionToken: example.sessionToken))
        let signature = S3Signature(credentials: credentials, region: "eu-central-1")
        let request = S3Signature.Request(
            method: example.method, host: example.host, path: example.path, query: example.query,
            fields: example.fields, payloadDigest: try S3Signature.digest(Array(example.body.utf8).span))
        let fields = try signature.sign(request, at: try #require(Timestamp("2026-01-15T09:30:00.000Z")))
        #expect(fields.last { $0.name == "authorization" }?.value.hasSuffix("Signature=\(example.signature)") == true)
        #expect(fields.first { $0.name == "x-amz-date" }?.value == "20260115T093000Z")
        #expect(fields.first { $0.name == "x-amz-security-token" }?.value == example.sessionToken)
    }

    @Test("places, endpoints and regions have a form each")
    func forms() {
        #expect(S3Bucket("s3://blobs")?.prefix == "" && S3Bucket("s3://blobs/a/b/")?.prefix == "a/b/")
        for text in [
            "s3://", "s3://ab", "s3://Blobs", "s3://blobs/../x", "s3://blobs//x", "s3://blobs/a b", "s3:/blobs",
            "blobs", "s3://blobs/%2e%2e", "s3://bl_obs",
        ] { #expect(S3Bucket(text) == nil, "\(text)") }
        #expect(S3Endpoint("https://S3.example:443/")?.url == "https://s3.example")
        #expect(S3Endpoint("http://127.0.0.1:9000")?.authority == "127.0.0.1:9000")
        for text in ["s3.example", "ftp://s3.example", "https://", "https://s3.example/x", "https://a@s3.example"] {
            #expect(S3Endpoint(text) == nil, "\(text)")
        }
        #expect(S3Configuration.isRegion("eu-central-1") && !S3Configuration.isRegion("eu/x"))
        #expect(S3Signature.encoded("a/b c~+=") == "a%2Fb%20c~%2B%3D")
    }

    @Test("a file of credentials is read if nobody else can read it")
    func credentials() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/credentials"
        func read(_ text: String) throws -> S3Credentials {
            try? Files.remove("credentials", in: directory.path)
            try Files.replace("credentials", in: directory.path, with: Array(text.utf8))
            return try S3Credentials(file: path)
        }
        let expected = try #require(S3Credentials(keyID: "key", secret: "se=cret"))
        #expect(try read("access_key_id = key\nsecret_access_key = se=cret\n") == expected)
        #expect(try read("[default]\n# mine\naws_access_key_id=key\r\naws_secret_access_key=se=cret") == expected)
        for text in ["", "key\nsecret\n", "access_key_id = key", "access_key_id = k y\nsecret_access_key = s"] {
            #expect(throws: S3Credentials.FileProblem.self, "\(text)") { try read(text) }
        }
        #expect(throws: S3Credentials.FileProblem.self) { try S3Credentials(file: directory.path + "/none") }
    }

    @Test("answers of the service are read, and what is none is not taken for one")
    func documents() {
        let text = """
            <?xml version="1.0"?><ListBucketResult xmlns="x"><IsTruncated>true</IsTruncated><Contents><Key>a&amp;b</Key>\
            <ETag>&quot;x&quot;</ETag></Contents><Contents><Key>c</Key></Contents></ListBucketResult>
            """
        let document = S3Document(Array(text.utf8))
        #expect(document.elements("Contents").map { $0.text("Key") } == ["a&b", "c"])
        #expect(document.text("ETag") == "\"x\"" && document.isWhole("ListBucketResult"))
        #expect(!S3Document(Array(text.utf8.dropLast(30))).isWhole("ListBucketResult"))
        #expect(S3Document.time("2013-05-24T00:00:01.5Z") == Timestamp("2013-05-24T00:00:01.000Z"))
        #expect(S3Document([]).text("Key") == nil)
    }
}
