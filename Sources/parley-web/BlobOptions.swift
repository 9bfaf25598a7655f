import ArgumentParser
import ParleyWeb

/// Where the door keeps blobs: a directory, or a bucket.
struct BlobOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A directory for blobs, made if it is missing, or s3://BUCKET or s3://BUCKET/PREFIX; several doors may share \
            either. It needs a device of the door's, too, which hears which blobs are gone. Without it, no blobs are taken \
            here.
            """, valueName: "directory"))
    var blobs: String?

    @Option(
        help: ArgumentHelp("The megabytes of the directory's volume that blobs leave free.", valueName: "n"))
    var blobsReserve: UInt32 = 512

    @Option(
        help: ArgumentHelp(
            "For blobs in S3: where the service is, https://HOST[:PORT], or http:// without TLS.", valueName: "url"))
    var s3Endpoint: String?

    @Option(help: ArgumentHelp("For blobs in S3: the region of the bucket.", valueName: "name"))
    var s3Region = "us-east-1"

    @Option(
        help: ArgumentHelp(
            """
            For blobs in S3: a file that only its owner may read, with lines access_key_id = …, secret_access_key = … \
            and, for temporary ones, session_token = …
            """, valueName: "file"))
    var s3Credentials: String?

    func configuration(hasAccounts: Bool) throws -> BlobConfiguration? {
        guard let blobs else {
            try refuseS3Options()
            return nil
        }
        guard hasAccounts else { throw ValidationError("--blobs needs --accounts") }
        var configuration = BlobConfiguration(try storage(blobs))
        configuration.reserve = Int(blobsReserve) << 20
        return configuration
    }

    private func refuseS3Options() throws {
        guard s3Endpoint == nil, s3Credentials == nil else {
            throw ValidationError("--s3-endpoint and --s3-credentials belong to --blobs s3://BUCKET")
        }
    }

    private func storage(_ place: String) throws -> BlobConfiguration.Storage {
        guard place.hasPrefix("s3:") else {
            try refuseS3Options()
            return .disk(directory: place)
        }
        guard let s3Endpoint, let s3Credentials else {
            throw ValidationError("--blobs s3://… needs --s3-endpoint and --s3-credentials")
        }
        let credentials: S3Credentials
        do {
            credentials = try S3Credentials(file: s3Credentials)
        } catch {
            throw ValidationError("--s3-credentials: \(error)")
        }
        return .s3(
            S3Configuration(
                endpoint: try option("--s3-endpoint", S3Endpoint(s3Endpoint)),
                bucket: try option("--blobs", S3Bucket(place)),
                region: try option("--s3-region", S3Configuration.isRegion(s3Region) ? s3Region : nil),
                credentials: credentials))
    }
}
