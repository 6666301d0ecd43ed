import Foundation
import Testing

@testable import simulate

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct ChartTests {
    private func chart(_ lines: [Chart.Line], y: Chart.Axis = .shares("share")) -> Chart {
        Chart(
            title: "A < B", description: "Both & more",
            x: Chart.Axis(name: "seconds", marks: [(0, "0"), (10, "10")]), y: y, lines: lines)
    }

    @Test func pointsStandBetweenTheFirstAndTheLastMark() {
        let svg = chart([Chart.Line(name: "one", points: [(0, 0), (5, 0.5), (10, 1)])]).svg
        #expect(svg.contains(#"<path class="line1" d="M64,374 L468,219 L872,64"/>"#))
    }

    @Test func valuesBeyondTheMarksStandAtTheEdge() {
        let svg = chart([Chart.Line(name: "one", points: [(-5, 2), (20, -1)])]).svg
        #expect(svg.contains(#"d="M64,64 L872,374""#))
    }

    @Test func aLogarithmicScaleHasEqualStepsForEqualFactors() {
        let y = Chart.Axis(
            name: "time", marks: [(0.01, "10 ms"), (1, "1 s")], scale: .logarithmic)
        let svg = chart([Chart.Line(name: "one", points: [(0, 0.01), (5, 0.1), (10, 1)])], y: y).svg
        #expect(svg.contains(#"d="M64,374 L468,219 L872,64""#))
    }

    @Test func namesThatDoNotFitInARowGetAnother() {
        let lines = (1...6).map { Chart.Line(name: "a rather long name \($0)", points: []) }
        let svg = chart(lines).svg
        #expect(svg.contains(#"<path class="line1" d="M8,38 h28"/>"#))
        #expect(svg.contains(#" d="M8,56 h28"/>"#))
        for number in 1...6 { #expect(svg.contains("class=\"line\(number)\"")) }
    }

    @Test func itIsAFileThatABrowserReads() {
        let svg = chart([Chart.Line(name: "a & b", points: [(0, 0)])]).svg
        #expect(XMLParser(data: Data(svg.utf8)).parse())
        #expect(svg.contains("<title id=\"title\">A &lt; B</title>"))
        #expect(svg.contains(">a &amp; b</text>"))
        #expect(svg.contains("prefers-color-scheme:dark"))
    }
}
