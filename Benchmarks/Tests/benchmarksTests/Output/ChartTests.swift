import Foundation
import Testing

@testable import benchmarks

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct ChartTests {
    private func outcome(_ name: String, _ times: [(way: String, time: Double)]) -> Outcome {
        let samples = times.map { way, time in
            var sample = Sample(way: way)
            sample.rounds = [time]
            return sample
        }
        return Outcome(subject: Case(name: name, ways: []), samples: samples)
    }

    @Test func slowerIsToTheRightAndFasterToTheLeft() {
        let scale = Chart.Scale(of: [0.5, 4], from: 100, to: 400)
        #expect(scale.marks == [0.5, 1, 2, 4])
        #expect([0.5, 1, 2, 4].map(scale.x) == [100, 200, 300, 400])
        #expect(scale.x(0.001) == 100 && scale.x(1_000) == 400)
    }

    @Test func thePictureIsWellFormedWhateverTheNames() throws {
        let outcomes = [
            outcome("a < b & c", [("Pledge", 10), ("x > \"y\"", 20), ("SwiftNIO", 5)]),
            outcome("alone", [("Pledge", 10)]),
        ]
        let text = Chart(outcomes, on: .this).text()
        #expect(XMLParser(data: Data(text.utf8)).parse())
        #expect(text.contains("a &lt; b &amp; c") && text.contains("SwiftNIO 0.50×"))
    }
}
