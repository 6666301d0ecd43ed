import Foundation
import PledgeFutures
import PledgeHTTPBodies
import TestSupport
import Testing

@Suite struct ProgressLineTests {
    private let scheduler = ManualScheduler()
    private let written = Locked<[String]>([])
    private var lines: [String] {
        written.withLock { $0.map { $0.replacing("\r\u{1B}[K", with: "") } }
    }

    private func line(_ label: String = "") -> ProgressLine {
        ProgressLine(label, on: scheduler) { [written] text in written.withLock { $0.append(text) }
        }
    }

    @Test func aProgressLineShowsPartSizeAndRate() {
        let line = line("film\u{1B}[2J.mp4")
        line.update(0, of: 8_000_000)
        scheduler.advance(by: .seconds(2))
        line.update(2_000_000, of: 8_000_000)
        line.finish()
        #expect(
            lines == [
                "film\\u{1B}[2J.mp4  [····················]  0 %  0.0 of 8.0 MB",
                "film\\u{1B}[2J.mp4  [#####···············]  25 %  2.0 of 8.0 MB  1.0 MB/s", "",
            ])
    }

    @Test func aProgressLineIsDrawnTenTimesASecondAndAtTheEnd() {
        let line = line()
        for step in 1...1_000 {
            scheduler.advance(by: .milliseconds(1))
            line.update(Int64(step) * 10_000, of: 10_000_000)
        }
        #expect(lines.count == 11)
        #expect(lines.last?.contains("100 %") == true)
    }

    @Test func aSmallTransferAndOneWithoutAnEnd() {
        let line = line()
        line.update(500, of: 1_000)
        line.finish()
        #expect(lines.isEmpty)
        line.update(1_500_000, of: nil)
        #expect(lines == ["1.5 MB"])
    }

    /// More bytes than were announced, and none at all, make a line as well.
    @Test func aProgressLineTakesOddNumbersWithoutATrap() {
        let line = line()
        line.update(3_000_000, of: 2_000_000)
        scheduler.advance(by: .seconds(1))
        line.update(-1, of: 2_000_000)
        #expect(lines[0].hasPrefix("[####################]  100 %"))
        #expect(lines[1].hasPrefix("[····················]  0 %"))
    }
}
