import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("Days and challenges as objects", .seeded)
struct DayMetricsTests {
    @Test("a day is read as it was written, and values of a later version are passed over")
    func roundTrip() throws {
        let day = try #require(CivilDay("2026-01-15"))
        let metrics = DayMetrics(
            day: day, timeZone: "Europe/Berlin", version: 7,
            values: MetricValues(steps: 120_000, calories: nil, exerciseMinutes: 30), implausible: [.known(.steps)])
        let json =
            #"{"date":"2026-01-15","time_zone":"Europe/Berlin","version":7,"steps":120000,"calories":null,"#
            + #""exercise_minutes":30,"implausible":["steps"]}"#
        #expect(String(decoding: metrics.json, as: UTF8.self) == json)
        #expect(try DayMetrics(json: metrics.json) == metrics)
        let later = try DayMetrics(json: Array(json.replacing(#"["steps"]"#, with: #"["naps"],"naps":3"#).utf8))
        #expect(later.implausible == [.unknown("naps")])
    }

    @Test("a challenge says how far both have come, by their ids")
    func progress() throws {
        var generator = Seeded(stream: 87)
        for _ in 0..<300 {
            let challenge = try generator.challenge()
            #expect(try Challenge(json: challenge.json) == challenge)
        }
        let json = String(decoding: try generator.challenge().json, as: UTF8.self)
        let start = try #require(json.range(of: #""progress":{"#)).upperBound
        for progress in [#""a/b":1"#, #""bob":-1"#, #""bob":null"#, #""bob":"1""#] {
            let broken = json[..<start] + progress + #"},"x":{"# + json[start...]
            #expect(throws: ReadingError.self, "\(progress)") { try Challenge(json: Array(broken.utf8)) }
        }
    }
}
