import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPNetworking

@Suite struct TimeoutHeaderTests {
    private func read(_ values: String..., by header: TimeoutHeader) -> Duration? {
        var headers = HTTPHeaders()
        for value in values { headers.add(value, for: header.name.uppercased()) }
        return header.duration(in: headers)
    }

    @Test(arguments: [TimeoutHeader.requestTimeout, .envoyExpected])
    func milliseconds(_ header: TimeoutHeader) {
        #expect(header.value(of: .seconds(2)) == "2000")
        #expect(header.value(of: .microseconds(1_999)) == "1")
        // Zero would mean no limit to some receivers.
        #expect(header.value(of: .microseconds(1)) == "1")
        #expect(header.value(of: .zero) == "1" && header.value(of: .seconds(-9)) == "1")
        #expect(header.value(of: .seconds(Int64.max)) == "1000000000")
        #expect(read("2000", by: header) == .seconds(2))
        #expect(read("007", by: header) == .milliseconds(7))
        #expect(read("9223372036854775807", by: header) == .seconds(1_000_000))
    }

    @Test func gRPC() {
        let header = TimeoutHeader.grpc
        #expect(header.value(of: .seconds(2)) == "2000m")
        #expect(header.value(of: .microseconds(1)) == "1m")
        #expect(header.value(of: .seconds(99_999)) == "99999000m")
        #expect(header.value(of: .seconds(100_000)) == "100000S")
        #expect(read("3H", by: header) == .seconds(10_800))
        #expect(read("2M", by: header) == .seconds(120))
        #expect(read("5S", by: header) == .seconds(5))
        #expect(read("250m", by: header) == .milliseconds(250))
        #expect(read("7u", by: header) == .microseconds(7))
        #expect(read("9n", by: header) == .nanoseconds(9))
        #expect(read("99999999H", by: header) == .seconds(1_000_000))
    }

    @Test(arguments: [
        "", " ", "0", "-1", "+1", "1.5", "1e3", "0x10", "1 000", "٣", "99999999999999999999", "1,2",
        "1s", "1\u{301}",
    ])
    func whatIsNotWellFormedIsNoTime(_ text: String) {
        #expect(read(text, by: .requestTimeout) == nil)
        #expect(read(text + "m", by: .grpc) == nil)
    }

    @Test(arguments: ["m", "1", "123456789m", "1h", "1 m", "1mm", "m1", "0m"])
    func whatIsNotWellFormedForGRPCIsNoTime(_ text: String) {
        #expect(read(text, by: .grpc) == nil)
    }

    @Test func severalTimesAreNone() {
        #expect(read("1", "1", by: .requestTimeout) == nil)
        #expect(read(by: .requestTimeout) == nil)
    }

    /// What is written is read, to the millisecond; random bytes never trap.
    @Test(arguments: [TimeoutHeader.requestTimeout, .grpc])
    func agreesWithItselfAndReadsAnything(_ header: TimeoutHeader) {
        var generator = SeededGenerator(seed: 41)
        for _ in 0..<2_000 {
            let time = Duration.milliseconds(Int.random(in: 1...99_999_999, using: &generator))
            #expect(read(header.value(of: time), by: header) == time)
            let letters = Array("0123456789HMSmun -+.xé")
            let text = String(
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    letters.randomElement(using: &generator)!
                })
            let read = read(text, by: header)
            #expect(read.map { $0 > .zero && $0 <= .seconds(1_000_000) } ?? true, "\(text)")
            // The headers take spaces from the ends of a value.
            if read != nil {
                #expect(text.drop { $0 == " " }.first?.isNumber == true, "\(text)")
            }
        }
    }
}
