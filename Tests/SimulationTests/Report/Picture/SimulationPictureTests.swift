import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

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
            "INVALID: 9 actions left the simulation (a task, a thread). "
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
                    named: "breaker \(number)", failuresInARow: 2,
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
