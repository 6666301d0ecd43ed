/// The options of the command line.
struct Options {
    /// What the times of the calls and of the server's work depend on.
    var seed: UInt64 = 1
    /// How many connections the transport may have.
    var connections = 1_000

    /// What to write.
    static let usage = "usage: validate-simulation [--seed NUMBER] [--connections NUMBER]"

    /// Parses a command line.
    ///
    /// - Returns: Nil if it is not understood.
    init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let flag = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch (flag, UInt64(value), Int(value)) {
            case ("--seed", let seed?, _): self.seed = seed
            case ("--connections", _, let connections?) where connections > 0:
                self.connections = connections
            default: return nil
            }
        }
    }
}
