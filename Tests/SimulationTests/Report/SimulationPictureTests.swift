import Foundation
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite(.oneAtATime) struct SimulationPictureTests {
    private func small(
        _ duration: Duration = .seconds(10), _ change: (inout Scenario) -> Void = { _ in }
    ) -> SimulationRun {
        var scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(10)))],
            arrivals: .even(rate: 5), duration: duration)
        change(&scenario)
        return scenario.run { $0.fleet.send }
    }

    @Test func thePanelsOfARun() {
        let picture = PictureReader(ReportedRuns.busy().picture())
        #expect(picture.isWellFormed)
        #expect(picture.problems == [])
        #expect(picture.title.hasSuffix(" calls in 30 s, seed 3"))
        let headings = picture.texts.filter { $0.look == "strong" }.map(\.text)
        #expect(
            headings == [
                "calls a second", "calls sent for each call", "latency",
                "what policies do, a second",
                "retry budget", "states",
            ])
        let names = picture.texts.filter { $0.look == "named" }.map(\.text)
        #expect(
            Set(names) == [
                "host 2 <slow> & \"stuck\"", "host 2 as before", "all hosts stop",
                "all hosts start",
            ])
        #expect(picture.looks.contains("open") && picture.looks.contains("closed"))
        #expect(picture.explanation.contains("Changes: 8 s host 2 <slow> & \"stuck\", 15 s host"))
    }

    @Test func namesAreEscaped() {
        let svg = small { $0.at(.seconds(1), "a < b & 'c' \u{1B}[31m\u{FFFF}\nd") { _ in } }
            .picture(title: "<script>alert(\"1\")</script>")
        #expect(svg.contains(">a &lt; b &amp; &#39;c&#39;  [31m\u{FFFD} d</text>"))
        #expect(!svg.contains("<script"))
        let picture = PictureReader(svg)
        #expect(picture.isWellFormed && picture.title == "<script>alert(\"1\")</script>")
    }

    @Test func itHasColoursForLightAndDarkPages() throws {
        let svg = ReportedRuns.small().picture()
        let parts = svg.split(separator: "@media (prefers-color-scheme:dark){")
        try #require(parts.count == 2)
        for look in ["text", ".page", ".heading", ".line1", ".line6", ".grid", ".change", ".open"] {
            #expect(parts[0].contains("\n\(look){") || parts[0].contains("\n\(look),"))
            #expect(parts[1].contains("\n\(look){") || parts[1].contains("\n\(look),"))
        }
    }

    @Test func severalRunsHaveALineEach() {
        let runs = (1...6).map { (name: "run \($0)", run: ReportedRuns.busy(seed: UInt64($0))) }
        let picture = PictureReader(SimulationPicture(title: "Seeds", runs: runs).svg)
        #expect(picture.isWellFormed)
        #expect(picture.problems == [])
        for number in 1...6 {
            #expect(picture.texts.contains { $0.text == "run \(number)" })
            #expect(picture.looks.count { $0 == "line\(number)" } >= 6)
        }
        // Other seeds offer other loads, so there is no common line for it.
        #expect(!picture.looks.contains("offered"))
        #expect(picture.texts.contains { $0.text == "run 4: circuitBreaker fleet" })
        #expect(picture.explanation.contains("policies with states run 5: circuitBreaker fleet"))
    }

    @Test func runsOfOneLoadShowItOnce() {
        let runs = [("first", small()), ("second", small())]
        let picture = PictureReader(SimulationPicture(title: "Two", runs: runs).svg)
        #expect(picture.looks.count { $0 == "offered" } == 2)
    }

    @Test func aNameWithoutRoomIsInTheDescription() {
        let name = String(repeating: "wide ", count: 60)
        let run = small { $0.at(.seconds(5), name) { _ in } }
        let picture = PictureReader(
            SimulationPicture(title: name, runs: [(name, run), ("short", run)]).svg)
        #expect(picture.isWellFormed)
        #expect(picture.problems == [])
        #expect(!picture.texts.contains { $0.text.contains("wide") })
        #expect(picture.texts.contains { $0.text == "1 more change, named in the description." })
        #expect(picture.explanation.contains("Changes: 5 s \(name)."))
        #expect(picture.explanation.contains("Runs: \(name), short."))
    }

    @Test func aRunThatWorkHasLeftSaysSo() {
        let warning =
            "INVALID: 9 actions left the simulation. "
            + "This run says nothing about the stack."
        let picture = PictureReader(ReportedRuns.escaped().picture())
        #expect(picture.texts.contains { $0.look == "warning" && $0.text == warning })
        let runs = [("good", small(.seconds(1))), ("bad", ReportedRuns.escaped())]
        let both = PictureReader(SimulationPicture(title: "Two", runs: runs).svg)
        #expect(both.problems == [])
        let text =
            "INVALID: work has left the simulation, so these runs say nothing: bad."
        #expect(both.texts.contains { $0.look == "warning" && $0.text == text })
    }

    @Test(arguments: [0.0, 0.4, 1, 59, 61, 3_600, 100_000])
    func eachDurationHasAPicture(seconds: Double) {
        let picture = PictureReader(
            small(.seconds(seconds)) { $0.arrivals = .even(rate: 0.1) }.picture())
        #expect(picture.isWellFormed)
        #expect(picture.problems == [])
    }

    @Test func aSecondWithoutSuccessIsAGapInTheLatencies() {
        let svg = small { $0.at(.seconds(3)) { $0.host(0).restart(after: .seconds(3)) } }.picture()
        let plain = small().picture()
        func lines(_ svg: String) -> Int { svg.split(separator: "<path class=\"line2\"").count }
        #expect(lines(svg) == lines(plain) + 1)
    }

    @Test func muchOfEverythingFits() {
        let runs = (1...6).map { number in
            (name: "a run with a long name, number \(number)", run: crowded(UInt64(number)))
        }
        for runs in [runs, Array(runs.prefix(1))] {
            let picture = PictureReader(SimulationPicture(title: "Much", runs: runs).svg)
            #expect(picture.isWellFormed)
            #expect(picture.problems == [])
            #expect(
                picture.texts.contains {
                    $0.text.hasSuffix("more changes, named in the description.")
                })
        }
    }

    private func crowded(_ seed: UInt64) -> SimulationRun {
        var scenario = Scenario(
            hosts: 2, each: HostSettings(serviceTime: .constant(.milliseconds(10))),
            arrivals: .even(rate: 20), duration: .seconds(20))
        for second in 1..<20 {
            scenario.at(.seconds(second), "a change with a name, number \(second)") { fleet in
                fleet.host(second % 2).restart(after: .milliseconds(500))
            }
        }
        scenario.recordsPolicyEvents = true
        return scenario.run(seed: seed) { world in
            for number in 1...9 { world.gauge("gauge \(number)") { Double(number) } }
            let breakers = (0..<6).map { number in
                CircuitBreaker(
                    named: "breaker \(number)", failuresInARow: 2, lasting: .zero,
                    backoff: .constant(.milliseconds(300)), on: world.scheduler)
            }
            return { request in
                if request.number == 5 {
                    onThreads(1) { _ in world.scheduler.schedule(after: .zero) {} }
                }
                return stack(
                    .circuitBreaker(sharing: breakers[request.number % 6]), over: world.fleet.send)(
                        request)
            }
        }
    }
}

@Suite(.oneAtATime) struct ChangeLabelsTests {
    @Test func namesThatFitStandInOneRow() {
        let labels = ChangeLabels([("a", 100), ("b", 300)], within: 10...890)
        #expect(labels.rowCount == 1 && labels.others.isEmpty)
        #expect(labels.labels.allSatisfy { $0.anchor == .start && $0.textX == $0.x + 3 })
    }

    @Test func anEarlierNameStandsHigher() {
        let labels = ChangeLabels([("a long name", 64), ("another", 84)], within: 10...890)
        #expect(labels.labels.sorted { $0.x < $1.x }.map(\.row) == [1, 0])
    }

    @Test func aNameAtTheRightEdgeStandsToTheLeft() {
        let labels = ChangeLabels([("first", 830), ("a long name", 860)], within: 10...890)
        let sorted = labels.labels.sorted { $0.x < $1.x }
        #expect(sorted.map(\.anchor) == [.end, .end])
        #expect(sorted.map(\.row) == [0, 1])
    }

    /// No name lies over another, or over the line of one that stands higher.
    @Test func namesNeverLieOverOneAnother() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...9, using: &generator)
            let changes = (0..<count).map { _ in
                let length = Int.random(in: 1...60, using: &generator)
                return (
                    name: String(repeating: "m", count: length),
                    x: Double.random(in: 64...868, using: &generator).rounded()
                )
            }.sorted { $0.x < $1.x }
            let labels = ChangeLabels(changes, within: 10...890)
            #expect(labels.labels.count + labels.others.count == count)
            #expect(labels.rowCount <= 5)
            for label in labels.labels {
                let (left, right) = extent(of: label)
                #expect(left >= 10 && right <= 890)
                for other in labels.labels where other.x != label.x || other.row != label.row {
                    let (otherLeft, otherRight) = extent(of: other)
                    if other.row == label.row { #expect(otherRight <= left || right <= otherLeft) }
                    if other.row > label.row { #expect(other.x <= left || other.x >= right) }
                }
            }
        }
    }

    private func extent(of label: ChangeLabels.Label) -> (Double, Double) {
        let width = label.name.width()
        return label.anchor == .start
            ? (label.textX, label.textX + width) : (label.textX - width, label.textX)
    }
}

/// Reads a picture as XML, with Foundation's parser.
final class PictureReader: NSObject, XMLParserDelegate {
    /// A text and the place that it takes: about the widths of DejaVu Sans, the widest of the usual fonts.
    struct Text: Hashable {
        let text: String
        let look: String
        let left: Double
        let right: Double
        let top: Double
        let bottom: Double

        func overlaps(_ other: Text) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }
    }

    /// Whether it is well-formed.
    private(set) var isWellFormed = false
    private(set) var texts: [Text] = []
    private(set) var height = 0.0
    private(set) var title = ""
    private(set) var explanation = ""
    /// The classes of all shapes.
    private(set) var looks: [String] = []
    /// The lowest edge of a rectangle but the page.
    private(set) var lowest = 0.0

    private var attributes: [String: String] = [:]
    private var content = ""

    init(_ svg: String) {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        isWellFormed = parser.parse()
    }

    /// The texts that stand outside the picture, or over another.
    var problems: [String] {
        var problems = texts.filter {
            $0.left < 0 || $0.right > 900 || $0.top < 0 || $0.bottom > height
        }.map { "'\($0.text)' is outside" }
        for (index, first) in texts.enumerated() {
            for second in texts[(index + 1)...] where first.overlaps(second) {
                problems.append("'\(second.text)' lies over '\(first.text)'")
            }
        }
        if lowest > height { problems.append("a shape is outside") }
        if height > 600 { problems.append("it is \(height) pixels high") }
        return problems
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        self.attributes = attributes
        content = ""
        if name == "svg" { height = Double(attributes["height"] ?? "") ?? .infinity }
        guard name == "path" || name == "rect", let look = attributes["class"] else { return }
        looks.append(look)
        if name == "rect", look != "page" {
            lowest = max(lowest, number("y") + number("height"))
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { content += string }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        switch name {
        case "title": title = content
        case "desc": explanation = content
        case "text": texts.append(text())
        default: break
        }
    }

    private func number(_ name: String) -> Double { Double(attributes[name] ?? "") ?? .nan }

    private func text() -> Text {
        let look = attributes["class"] ?? ""
        let size = look == "heading" ? 14.0 : look == "warning" ? 12 : 11
        let share = ["heading", "warning", "strong"].contains(look) ? 0.72 : 0.67
        let letters = content.unicodeScalars.reduce(0.0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
        let width = letters * share * size
        let shares: [String: Double] = ["middle": 0.5, "end": 1]
        let shift = shares[attributes["text-anchor"] ?? ""] ?? 0
        let left = number("x") - width * shift
        let (top, bottom) = (number("y") - size * 0.8, number("y") + size * 0.2)
        return Text(
            text: content, look: look, left: left, right: left + width, top: top, bottom: bottom)
    }
}
