/// The options of the command line.
struct Options {
    /// Runs only cases whose names contain one of these texts; all cases if empty.
    var filters: [String] = []
    /// The number and length of each case's rounds.
    var measurement = Measurement.full
    /// Checks the limits on allocations.
    var check = false
    /// The file to write the results to, as JSON.
    var json: String?
    /// The document to write the table to.
    var markdown: String?
    /// Measures bodies of gigabytes instead of the cases.
    var large = false
    /// Prints only the help.
    var help = false

    /// The text of `--help`.
    static let usage = """
        usage: benchmarks [--filter TEXT]... [--quick] [--check]
                          [--json FILE] [--markdown FILE.md]
               benchmarks --large

          --filter TEXT      only cases whose names contain TEXT; may be repeated
          --quick            few, short rounds: enough to see that all runs
          --check            fail if a limit on allocations is passed; name the missed aims
          --json FILE        write the results as JSON
          --markdown FILE    put the table between the two marks in a document,
                             <!-- benchmarks: begin --> and <!-- benchmarks: end -->
          --large            downloads and uploads of 2 GiB, beside the curl program;
                             on Linux, with 4 GiB free in /dev/shm
          --help             print this

        Peers take part in a build with `--traits Peers`.
        """

    /// Parses a command line.
    ///
    /// - Throws: ``Complaint`` if the command line isn't valid.
    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        func value(of flag: String, _ what: String) throws -> String {
            guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                throw Complaint("\(flag) wants \(what) behind it; see --help", exitCode: 64)
            }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--filter": filters.append(try value(of: argument, "a part of a case's name"))
            case "--quick": measurement = .quick
            case "--check": check = true
            case "--json": json = try value(of: argument, "a file's name")
            case "--markdown": markdown = try value(of: argument, "a file's name")
            case "--large": large = true
            case "--help", "-h": help = true
            default: throw Complaint("there is no option '\(argument)'; see --help", exitCode: 64)
            }
        }
    }

    /// Returns the selected cases.
    ///
    /// - Throws: ``Complaint`` if there is none.
    func cases() throws -> [Case] {
        let chosen = Case.all.filter { subject in
            filters.isEmpty || filters.contains { subject.name.contains($0) }
        }
        if chosen.isEmpty {
            let names = Case.all.map { "  \($0.name)" }.joined(separator: "\n")
            throw Complaint("no case has such a name; there are:\n\(names)", exitCode: 64)
        }
        return chosen
    }
}

/// The reason why the program ends without doing its work.
struct Complaint: Error {
    let text: String
    let exitCode: Int32

    init(_ text: String, exitCode: Int32 = 1) {
        self.text = text
        self.exitCode = exitCode
    }
}
