import Testing

@testable import validate_simulation

@Suite struct OptionsTests {
    @Test func everyOptionIsRead() throws {
        let options = try #require(Options(["--connections", "8", "--seed", "2"]))
        #expect(options.seed == 2 && options.connections == 8)
        let defaults = try #require(Options([]))
        #expect(defaults.seed == 1 && defaults.connections == 1_000)
    }

    @Test(arguments: [
        ["--seed"], ["--seed", "-1"], ["--seed", "x"], ["--connections", "0"], ["2"],
        ["--nope", "2"],
    ])
    func whatCannotBeUnderstoodIsRefused(arguments: [String]) {
        #expect(Options(arguments) == nil)
    }
}
