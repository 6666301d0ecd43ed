import Foundation

/// The program's task, read from its arguments.
struct Command {
    /// The kinds of work.
    enum Work {
        case list
        case help
        case run(NamedScenario)
    }

    var work = Work.list
    var settings = ScenarioSettings()
    /// The file to write the picture to, if requested.
    var pictureFile: String?
    /// The file to write the figures to as JSON, if requested.
    var figuresFile: String?
    /// True to show no progress line.
    var isQuiet = false

    /// What a user types.
    static let command = "swift run --package-path Benchmarks -c release simulate"

    static let usage = """
        usage: \(command) [NAME [--seed N] [--hosts N] [--policies LIST]
                                    [--short] [--svg FILE] [--json FILE] [--quiet]]

          without a NAME   lists the scenarios
          --seed N         what all chance depends on; 1 by default
          --hosts N        how many hosts there are, in scenarios that take it
          --policies LIST  the client's policies, outermost first, in scenarios that take it:
                           \(NamedPolicy.names),
                           with a value or without, as in
                           retry=3,budget=0.2,breaker,hedge=50ms,timeout=1s,bulkhead=64;
                           none is a client without policies
          --short          fewer calls: less exact, and soon done
          --svg FILE       writes the scenario's picture
          --json FILE      writes its figures as JSON
          --quiet          shows no progress; it is shown on a terminal only
        """

    /// Does what the arguments ask for.
    ///
    /// - Returns: The program's exit code.
    static func main(_ arguments: [String]) -> Int32 {
        do {
            try Command(arguments).run()
            return 0
        } catch let error as CommandError {
            FileHandle.standardError.write(Data("simulate: \(error)\n".utf8))
            return error.exitCode
        } catch {
            FileHandle.standardError.write(Data("simulate: \(error)\n".utf8))
            return 1
        }
    }

    private func run() throws {
        switch work {
        case .help: print(Self.usage)
        case .list: print(NamedScenario.list)
        case .run(let scenario): try run(scenario)
        }
    }

    private func run(_ scenario: NamedScenario) throws {
        var settings = settings
        settings.progress = Progress(isShown: !isQuiet && Progress.isOnTerminal)
        let result = scenario.run(settings)
        settings.progress.clear()
        print(result.text, terminator: "")
        if let pictureFile { try write(result.picture(), to: pictureFile) }
        if let figuresFile { try write(try result.json(of: scenario, settings), to: figuresFile) }
    }

    private func write(_ text: String, to file: String) throws(CommandError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        } catch {
            throw CommandError(unwritable: file)
        }
    }
}
