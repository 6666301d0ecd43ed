/// The functions of Swift Testing that ``reportTestFailure(_:at:)`` calls, found by name in the running
/// process.
///
/// Swift Testing is built for library evolution: its public functions keep their names, and its
/// structs are passed by address, as values of a generic type are. So a generic function type, with the
/// struct's metatype as its parameter, has the same calling convention as the original.
///
/// Invariant: each address is that of the function with the full signature in its symbol, and the types are
/// those of this signature.
struct SwiftTestingCalls: Sendable {
    private let current: LoadedFunction
    private let makeLocation: LoadedFunction
    private let recordIssue: LoadedFunction
    private let test: Any.Type
    private let comment: Any.Type
    private let location: Any.Type
    private let issue: Any.Type

    /// Finds the functions and types; nil if one is missing.
    init?(lookUp: (String) -> LoadedFunction?) {
        guard
            // Test.current: Test?
            let current = lookUp("$s7Testing4TestV7currentACSgvgZ"),
            // CodeLocation.init(fileID: String, filePath: String, line: Int, column: Int)
            let makeLocation = lookUp(
                "$s7Testing14SourceLocationV6fileID0D4Path4line6columnACSS_SSS2itcfC"),
            // Issue.record(_: Comment?, sourceLocation: CodeLocation) -> Issue
            let recordIssue = lookUp(
                "$s7Testing5IssueV6record_14sourceLocationAcA7CommentVSg_AA06SourceE0VtFZ"),
            let test = _typeByName("7Testing4TestV"),
            let comment = _typeByName("7Testing7CommentV"),
            comment is any RawRepresentable<String>.Type,
            let location = _typeByName("7Testing14SourceLocationV"),
            let issue = _typeByName("7Testing5IssueV")
        else { return nil }
        self.current = current
        self.makeLocation = makeLocation
        self.recordIssue = recordIssue
        self.test = test
        self.comment = comment
        self.location = location
        self.issue = issue
    }

    /// Whether this thread runs a test, or a task of one.
    var isInTest: Bool {
        func call<Test>(_: Test.Type) -> Bool {
            current.cast(to: CurrentTest<Test>.self).call() != nil
        }
        return call(test)
    }

    /// Records an issue of the running test, or of the whole run.
    func record(_ message: String, at place: TestSourceLocation) {
        func call<Comment: RawRepresentable, Location, Issue>(
            _: Comment.Type, _: Location.Type, _: Issue.Type
        ) where Comment.RawValue == String {
            let location = makeLocation.cast(to: MakeLocation<Location>.self).call(
                Self.valid(place.fileID), "\(place.filePath)", Int(clamping: max(place.line, 1)),
                Int(clamping: max(place.column, 1)))
            let record = recordIssue.cast(to: RecordIssue<Comment, Location, Issue>.self)
            _ = record.call(Comment(rawValue: message), location)
        }
        guard let comment = comment as? any RawRepresentable<String>.Type else { return }
        call(comment, location, issue)
    }

    /// A file in the form that Swift Testing requires: a module and a name.
    private static func valid(_ fileID: StaticString) -> String {
        let text = "\(fileID)"
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count > 1 && !parts[0].isEmpty ? text : "unknown/\(text)"
    }
}

private struct CurrentTest<Test> {
    let call: @convention(thin) () -> Test?
}

private struct MakeLocation<Location> {
    /// An initialiser consumes its arguments; a function does not.
    let call: @convention(thin) (consuming String, consuming String, Int, Int) -> Location
}

private struct RecordIssue<Comment, Location, Issue> {
    let call: @convention(thin) (Comment?, Location) -> Issue
}
