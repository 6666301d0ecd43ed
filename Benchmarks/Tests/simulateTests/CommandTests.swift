import Foundation
import Testing

@testable import simulate

@Suite(.serialized)
struct CommandTests {
    @Test func withoutANameItListsTheScenarios() async throws {
        let run = try await runSimulate()

        for scenario in NamedScenario.all {
            #expect(run.output.contains("  \(scenario.name) "))
            #expect(run.output.contains(scenario.summary))
        }
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test(arguments: ["--help", "-h"]) func helpShowsTheOptions(option: String) async throws {
        let run = try await runSimulate(option)

        for option in ["--seed", "--hosts", "--policies", "--short", "--svg", "--json", "--quiet"] {
            #expect(run.output.contains(option))
        }
        #expect(run.exitCode == 0)
    }

    @Test func anUnknownScenarioGetsTheNamesOfAll() async throws {
        let run = try await runSimulate("tail")

        let names = NamedScenario.all.map(\.name).joined(separator: ", ")
        #expect(run.errors == "simulate: there is no scenario \"tail\"; there are \(names)\n")
        #expect(run.output == "")
        #expect(run.exitCode == 64)
    }

    @Test(arguments: [
        (["fleet", "--seed", "x"], #"--seed needs a whole number of 0 or more, not "x""#),
        (["fleet", "--seed"], "--seed needs a whole number; see --help"),
        (["fleet", "--hosts", "0"], #"--hosts needs a number from 1 to 100000, not "0""#),
        (["fleet", "--fast"], #"unknown option "--fast"; see --help"#),
        (["fleet", "fleet"], "one scenario at a time, not 2; see --help"),
        (
            ["fleet", "--quiet", "--quiet"], "--quiet is given more than once; see --help"
        ),
        (
            ["metastable", "--hosts", "2"],
            "the hosts of metastable are given: leave out --hosts"
        ),
        (
            ["metastable", "--policies", "retry"],
            "the policies of metastable are given: leave out --policies"
        ),
        (["--seed", "2"], "--seed needs the name of a scenario; see --help"),
        (["\u{1B}[31m"], #"there is no scenario "\u{1B}[31m"; there are "#),
    ])
    func wrongArgumentsGetOneLine(arguments: [String], line: String) {
        let error = #expect(throws: CommandError.self) { try Command(arguments) }
        #expect(error?.description.hasPrefix(line) == true, "\(error?.description ?? "no error")")
        #expect(error?.exitCode == 64)
    }

    @Test func theSameSeedGivesTheSameFigures() throws {
        func figures(seed: UInt64) throws -> String {
            let settings = ScenarioSettings(seed: seed, hosts: 2, isShort: true)
            let scenario = NamedScenario.fleet
            return try scenario.run(settings).json(of: scenario, settings)
        }
        #expect(try figures(seed: 7) == figures(seed: 7))
        #expect(try figures(seed: 7) != figures(seed: 8))
    }

    @Test func thePictureIsWritten() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).svg")
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try await runSimulate(
            "fleet", "--hosts", "2", "--seed", "7", "--quiet", "--svg", file.path)

        let picture = NamedScenario.fleet.run(ScenarioSettings(seed: 7, hosts: 2)).picture()
        #expect(try String(contentsOf: file, encoding: .utf8) == picture)
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test func theFiguresAreWritten() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try await runSimulate(
            "fleet", "--short", "--hosts", "2", "--policies", "retry,timeout=1s", "--json",
            file.path)

        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let figures = try #require(object as? [String: Any])
        #expect(figures["scenario"] as? String == "fleet")
        #expect(figures["policies"] as? String == "retry,timeout=1s")
        #expect(figures["hosts"] as? Int == 2)
        let seconds = try #require(figures["run"] as? [String: Any])["seconds"]
        let offered = try #require(seconds as? [String: Any])["offered"] as? [Int]
        #expect(offered?.count == 90)
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test func aFileThatCannotBeWrittenIsNamed() async throws {
        let run = try await runSimulate("fleet", "--short", "--json", "/nowhere/run.json")

        #expect(run.errors.hasPrefix("simulate: \"/nowhere/run.json\" cannot be written"))
        #expect(run.exitCode == 73)
    }
}
