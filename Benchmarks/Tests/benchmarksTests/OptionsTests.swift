import Testing

@testable import benchmarks

@Suite struct OptionsTests {
    @Test func everyOptionIsRead() throws {
        let options = try Options([
            "--filter", "maps", "--json", "a", "--quick", "--filter", "zip", "--check",
            "--markdown", "c",
        ])
        #expect(options.filters == ["maps", "zip"])
        #expect(options.json == "a" && options.markdown == "c")
        #expect(options.check && !options.help)
        #expect(options.measurement.rounds == Measurement.quick.rounds)
        #expect(!options.large)
        #expect(try Options(["--large"]).large)
    }

    @Test func nothingGivenMeansAllInFull() throws {
        let options = try Options([])
        #expect(try options.cases().count == Case.all.count)
        #expect(!options.check)
        #expect(options.measurement.rounds == Measurement.full.rounds)
    }

    @Test(arguments: [
        ["--nope"], ["maps"], ["--filter"], ["--filter", ""], ["--json", "--quick"], ["--markdown"],
    ])
    func whatCannotBeUnderstoodIsRefused(arguments: [String]) {
        let complaint = #expect(throws: Complaint.self) { try Options(arguments) }
        #expect(complaint?.exitCode == 64)
        #expect(complaint?.text.contains(arguments[0]) == true)
    }

    @Test func filtersAddUp() throws {
        let names = try Options(["--filter", "zip", "--filter", "10 maps"]).cases().map(\.name)
        #expect(names == ["10 maps then resolve", "zip of 3"])
    }

    @Test func aFilterThatMatchesNothingNamesTheCases() throws {
        let options = try Options(["--filter", "no such case"])
        let complaint = #expect(throws: Complaint.self) { try options.cases() }
        #expect(complaint?.exitCode == 64)
        #expect(complaint?.text.contains("all of 10,000") == true)
    }

    @Test func caseNamesDiffer() {
        #expect(Set(Case.all.map(\.name)).count == Case.all.count)
    }
}
