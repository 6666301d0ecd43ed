/// How many checks have failed so far.
@MainActor var failures = 0

/// Prints what was expected and whether it holds.
@MainActor
func check<Value: Equatable>(_ what: String, _ value: Value, is expected: Value) {
    if value == expected {
        print("ok: \(what)")
    } else {
        failures += 1
        print("WRONG: \(what): \(value) instead of \(expected)")
    }
}

/// Prints a comparison that the articles mark `// true`, and counts one that is not.
@MainActor
func print(_ holds: Bool, file: StaticString = #fileID, line: UInt = #line) {
    check("\(file):\(line)", holds, is: true)
}
