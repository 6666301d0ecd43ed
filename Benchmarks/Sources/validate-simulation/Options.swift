/// The options of the command line.
struct Options {
    /// The seed for the times of the calls and of the server's work.
    var seed: UInt64 = 1
    /// The number of connections that the transport may open.
    var connections = 1_000

    /// The correct command line.
    static let usage = "usage: validate-simulation [--seed NUMBER] [--connections NUMBER]"

    /// Parses a command line.
    ///
    /// - Returns: Nil if the command line is invalid.
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
