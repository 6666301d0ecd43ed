extension Command {
    /// Reads the program's arguments.
    init(_ arguments: [String]) throws(CommandError) {
        if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            work = .help
            return
        }
        var arguments = Arguments(arguments)
        let seed = try arguments.take("--seed", "a whole number").map(Self.seed)
        let hosts = try arguments.take("--hosts", "a number of hosts").map(Self.hosts)
        let policies = try arguments.take("--policies", "policies, as in retry,timeout=1s")
            .map(PolicyStack.init)
        pictureFile = try arguments.take("--svg", "a file, like run.svg")
        figuresFile = try arguments.take("--json", "a file, like run.json")
        isQuiet = try arguments.takeFlag("--quiet")
        settings.isShort = try arguments.takeFlag("--short")
        settings.seed = seed ?? settings.seed
        settings.hosts = hosts
        settings.policies = policies
        guard let name = try arguments.takeName() else {
            if let flag = arguments.firstTaken {
                throw CommandError(wrongUse: "\(flag) needs the name of a scenario; see --help")
            }
            return
        }
        let scenario = try NamedScenario.named(name)
        if hosts != nil, !scenario.takesHosts {
            throw CommandError(
                wrongUse: "the hosts of \(scenario.name) are given: leave out --hosts")
        }
        if policies != nil, !scenario.takesPolicies {
            throw CommandError(
                wrongUse: "the policies of \(scenario.name) are given: leave out --policies")
        }
        work = .run(scenario)
    }

    private static func seed(_ word: String) throws(CommandError) -> UInt64 {
        guard let seed = UInt64(word) else {
            throw CommandError(
                wrongUse: "--seed needs a whole number of 0 or more, not \(Arguments.quoted(word))")
        }
        return seed
    }

    private static func hosts(_ word: String) throws(CommandError) -> Int {
        guard let count = Int(word), (1...100_000).contains(count) else {
            throw CommandError(
                wrongUse: "--hosts needs a number from 1 to 100000, not \(Arguments.quoted(word))")
        }
        return count
    }
}
