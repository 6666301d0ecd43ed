import Foundation

/// One run of the program: measures, prints, writes, checks.
struct Run {
    private let options: Options
    private let cases: [Case]
    private let json: OutputFile?
    private let markdown: (document: Markdown, file: OutputFile)?

    /// Prepares a run, and checks that the options can be followed.
    ///
    /// - Throws: ``Complaint`` if they can't.
    init(_ options: Options) throws {
        self.options = options
        cases = try options.cases()
        json = try options.json.map(OutputFile.init)
        markdown = try options.markdown.map { (try Markdown(path: $0), try OutputFile(path: $0)) }
    }

    /// Runs everything.
    ///
    /// - Throws: ``Complaint`` if a file can't be written or a limit is exceeded.
    func go() async throws {
        let outcomes = await measure()
        try json?.replace(with: Report(outcomes, on: .this).text())
        if let (document, file) = markdown {
            try file.replace(with: document.text(with: Markdown.lines(for: outcomes, on: .this)))
        }
        if options.check { try await check(outcomes) }
    }

    private func measure() async -> [Outcome] {
        print(Machine.this.description)
        print(Machine.this.command)
        print()
        print(Table.line(Table.columns))
        var outcomes: [Outcome] = []
        for subject in cases {
            if let obstacle = subject.obstacle() {
                print("\(subject.name): left out, \(obstacle)")
                continue
            }
            let outcome = Outcome(
                subject: subject, samples: await options.measurement.samples(of: subject))
            for row in Table.rows(for: outcome) { print(Table.line(row)) }
            fflush(nil)
            outcomes.append(outcome)
        }
        return outcomes
    }

    private func check(_ outcomes: [Outcome]) async throws {
        let check = await Check.of(outcomes)
        print()
        for note in check.notes { print("check: \(note)") }
        guard check.failures.isEmpty else {
            throw Complaint(check.failures.joined(separator: "\nerror: "))
        }
        print("check: \(check.held) limits hold")
    }
}
