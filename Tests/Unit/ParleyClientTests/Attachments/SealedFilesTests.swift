import Foundation
import ParleyCrypto
import ParleyProtocol
import PrivateFiles
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Sealed files on the disk")
struct SealedFilesTests {
    private func age(_ path: String, days: Double) throws {
        let date = Date(timeIntervalSinceNow: -days * 86_400)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    private var now: Int64 { Timestamp.now.milliseconds }

    @Test("a sent file is found before it is sent and after, for its owner alone")
    func own() throws {
        let sample = try FileSample(size: 1000)
        let (files, job) = (sample.files, sample.job)
        #expect(try files.find(job.seal, job.blob) == files.outgoing(job.blob))
        try files.keep(job)
        #expect(try files.find(job.seal, job.blob) == files.whole(job.seal))
        #expect(try files.find(job.seal, .random()) == files.whole(job.seal))
        // A crash may have come between the two.
        try files.keep(job)
        try files.clear()
        #expect(try files.find(job.seal, job.blob) == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(files.directory.path)/files")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("a file of another length is none")
    func otherLength() throws {
        let sample = try FileSample(size: 1000)
        try sample.files.keep(sample.job)
        try sample.directory.write([1, 2, 3], at: sample.files.whole(sample.seal))
        #expect(try sample.files.find(sample.seal, sample.job.blob) == nil)
    }

    @Test("those that were not used for longest go first, and the one in use stays")
    func evicted() throws {
        let sample = try FileSample(size: 10, limit: 2500)
        let path = "\(sample.files.directory.path)/files"
        for (index, name) in ["old", "middle", "new"].enumerated() {
            try sample.directory.write([UInt8](repeating: 1, count: 1000), at: "\(path)/\(name).sealed")
            try age("\(path)/\(name).sealed", days: Double(3 - index))
        }
        try sample.files.evict(besides: "\(path)/old.sealed")
        let names = Set(try sample.names)
        #expect(names.contains("old.sealed") && names.contains("new.sealed") && !names.contains("middle.sealed"))
    }

    @Test("what killed processes left goes once it is old, and what waits or is complete stays")
    func swept() throws {
        let sample = try FileSample(size: 10)
        let path = "\(sample.files.directory.path)/files"
        for name in ["a.in", "b.in", "c.part", "d.sealed", "\(BlobID.random()).out"] {
            try sample.directory.write([1], at: "\(path)/\(name)")
            try age("\(path)/\(name)", days: name == "b.in" ? 3 : 30)
        }
        try age(sample.files.outgoing(sample.job.blob), days: 30)
        try sample.files.sweep(besides: [sample.job.blob], now: now)
        #expect(Set(try sample.names) == ["b.in", "d.sealed", "\(sample.job.blob).out"])
    }

    @Test("without its folder there is nothing, and that is no error")
    func missing() throws {
        let directory = try TemporaryDirectory()
        let files = SealedFiles(directory: directory.directory(of: device("bob/phone")), limit: 0)
        let seal = try FileSample(size: 1).seal
        #expect(try files.find(seal, .random()) == nil)
        try files.sweep(besides: [], now: now)
        try files.evict(besides: nil)
        try files.clear()
    }
}
