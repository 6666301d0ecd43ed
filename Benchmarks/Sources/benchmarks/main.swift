// swift run -c release --package-path Benchmarks benchmarks [--quick] [--filter TEXT]

var arguments = CommandLine.arguments.dropFirst()
var measurement = Measurement.full
var filter = ""
while let argument = arguments.popFirst() {
    switch argument {
    case "--quick": measurement = .quick
    case "--filter": filter = arguments.popFirst() ?? ""
    default: fatalError("unknown argument \(argument); there are --quick and --filter TEXT")
    }
}

startSecondThread()
let chosen = Case.all.filter { filter.isEmpty || $0.name.contains(filter) }
let table = Table()
print(table.head)
for subject in chosen {
    let samples = await measurement.run(subject)
    for line in table.lines(for: subject, samples) { print(line) }
}
