import Testing

@testable import Prometheus

@Suite("The text format of Prometheus")
struct TextFormatTests {
    @Test("a metric is its help, its kind and its samples")
    func samples() {
        var text = TextFormat()
        text.family("parley_things_total", .counter, "Things.")
        text.sample("parley_things_total", 7)
        text.sample("parley_things_total", [("kind", "a"), ("way", "b")], -1)
        text.sample("parley_things_total", 0.5)
        #expect(
            text.text == """
                # HELP parley_things_total Things.
                # TYPE parley_things_total counter
                parley_things_total 7
                parley_things_total{kind="a",way="b"} -1
                parley_things_total 0.5

                """)
        #expect(text.utf8 == Array(text.text.utf8))
    }

    @Test("backslashes and line feeds are escaped everywhere, quotation marks in labels alone")
    func escaping() {
        var text = TextFormat()
        text.family("a", .gauge, "a \\ \"b\"\nc é")
        text.sample("a", [("l", "a \\ \"b\"\nc é")], 1)
        #expect(
            text.text == """
                # HELP a a \\\\ "b"\\nc é
                # TYPE a gauge
                a{l="a \\\\ \\"b\\"\\nc é"} 1

                """)
    }

    @Test(
        "numbers are written as Prometheus reads them",
        arguments: [
            (0.0, "0"), (12, "12"), (0.25, "0.25"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
            (1e300, "1e+300"),
        ])
    func numbers(value: Double, text: String) {
        #expect(TextFormat.number(value) == text)
    }

    @Test("a histogram counts a value in the first bucket that holds it, and all that follow")
    func buckets() {
        let sizes = Histogram([1, 10, 100])
        for value in [0, 1, 2, 10, 11, 100, 101, 5000] { sizes.record(value) }
        #expect(sizes.reading == Histogram.Reading(cumulative: [2, 4, 6, 8], sum: 5225))
        var text = TextFormat()
        text.family("sizes", .histogram, "Sizes.")
        text.histogram("sizes", [("way", "in")], sizes)
        #expect(
            text.text.hasSuffix(
                """
                sizes_bucket{way="in",le="1"} 2
                sizes_bucket{way="in",le="10"} 4
                sizes_bucket{way="in",le="100"} 6
                sizes_bucket{way="in",le="+Inf"} 8
                sizes_sum{way="in"} 5225
                sizes_count{way="in"} 8

                """))
    }

    @Test("times are shown in seconds, and one that went back is none")
    func times() {
        let times = Histogram([500, 1_000_000], in: .microseconds)
        for time in [Duration.microseconds(500), .milliseconds(1), .seconds(2), .seconds(-5)] { times.record(time) }
        #expect(times.reading == Histogram.Reading(cumulative: [2, 3, 4], sum: 2.0015))
        var text = TextFormat()
        text.histogram("t", times)
        #expect(text.text.hasPrefix("t_bucket{le=\"0.0005\"} 2\nt_bucket{le=\"1\"} 3\nt_bucket{le=\"+Inf\"} 4\n"))
    }

    @Test("threads that record at the same time lose nothing")
    func concurrency() async {
        let times = Histogram([10, 20])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for value in 0..<1000 { times.record(value % 30) } } }
        }
        #expect(times.reading.count == 4000)
    }
}
