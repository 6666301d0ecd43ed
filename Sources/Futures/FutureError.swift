/// An error that a future raises by itself.
///
/// Errors that your transforms throw, or that you pass to `reject(with:)`, arrive unchanged. Cancellation is
/// Swift's own `CancellationError`.
public struct FutureError: Error, Sendable {
    /// The kind of failure.
    public let code: Code

    /// The place that created the abandoned promise, or that called the combinator which failed.
    public let location: CodeLocation?

    /// For ``Code/cycle``, the place that created the future which closes the cycle.
    ///
    /// Nil if this place is the same as ``location``.
    package internal(set) var secondLocation: CodeLocation?

    /// The errors that led to this one: for ``Code/allFailed``, the errors of all inputs, in the order of the inputs.
    ///
    /// Errors of this type nest at most 32 levels deep. Beyond that, a cause is replaced by its own causes.
    public let causes: [any Error]

    /// The number of levels of ``FutureError`` in this error, counting itself.
    private let depth: Int

    /// The kinds of failure; later versions may add some.
    public struct Code: NamedCode {
        /// A promise or a resolver was released before it settled.
        ///
        /// Keep the promise or resolver until the work is done, and resolve or reject it on every path.
        public static let abandoned = Code("abandoned")
        /// The time given to ``Future/timeout(_:on:fileID:line:)`` ran out.
        public static let timedOut = Code("timedOut")
        /// The predicate of ``Future/filter(_:fileID:line:)`` returned false.
        public static let notEnsured = Code("notEnsured")
        /// All inputs of ``Future/any(_:fileID:line:)`` failed.
        public static let allFailed = Code("allFailed")
        /// ``Future/any(_:fileID:line:)`` or ``Future/race(_:fileID:line:)`` got no inputs.
        public static let noInputs = Code("noInputs")
        /// A `flatMap` or `flatMapError` closure returned a future that waits for the closure's own result.
        ///
        /// The closure returned the very future that `flatMap` or `flatMapError` had returned, or a future that derives
        /// from it in up to 64 steps.
        public static let cycle = Code("cycle")

        /// All codes.
        package static let allCases: [Code] = [
            .abandoned, .timedOut, .notEnsured, .allFailed, .noInputs, .cycle,
        ]

        package let rawValue: String

        private init(_ name: String) { rawValue = name }
    }

    /// Creates an error.
    package init(_ code: Code, at location: CodeLocation? = nil, causes: [any Error] = []) {
        self.code = code
        self.location = location
        let depth = causes.reduce(1) { max($0, 1 + (($1 as? FutureError)?.depth ?? 0)) }
        if depth <= Self.deepest {
            self.causes = causes
            self.depth = depth
        } else {
            self.causes = causes.flatMap { cause -> [any Error] in
                guard let error = cause as? FutureError, !error.causes.isEmpty else {
                    return [cause]
                }
                return error.causes
            }
            self.depth = depth - 1
        }
    }

    /// The largest number of nested levels.
    ///
    /// It is limited because freeing an error frees the errors inside it by recursion.
    private static let deepest = 32
}

extension FutureError: CustomStringConvertible {
    /// The failure, its place, and what to do about it.
    public var description: String {
        let place = location.map { " at \($0)" } ?? ""
        switch code {
        case .abandoned:
            return """
                abandoned: the promise made\(place) was released before it was resolved or \
                rejected; keep it until its work is done
                """
        case .timedOut: return "timed out: no result within the time given\(place)"
        case .notEnsured: return "not ensured: the predicate\(place) was false for the value"
        case .allFailed:
            let list = causes.map { "\($0)" }.joined(separator: "; ")
            return
                "all failed: none of the \(causes.count) futures given\(place) succeeded: \(list)"
        case .noInputs:
            return "no inputs: the array of futures given\(place) was empty, so none can come first"
        default:
            let second = secondLocation.map { ", by the step at \($0)" } ?? ""
            return """
                cycle: the closure given\(place) returned a future that waits for the closure's own \
                result\(second), so neither would settle
                """
        }
    }
}

/// A place in source code: the file, as `Module/File.swift`, and the line.
public struct CodeLocation: Sendable, CustomStringConvertible {
    /// The file, as `#fileID` names it.
    public let fileID: StaticString

    /// The line, counted from one.
    public var line: UInt { UInt(storedLine) }

    /// The line in 32 bits.
    ///
    /// A promise and each transform store a place, and 32 bits fit into the padding of these objects.
    @usableFromInline let storedLine: UInt32

    /// Creates a place; without arguments, the place of the call.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        self.fileID = fileID
        storedLine = UInt32(clamping: line)
    }

    /// The place as compilers print it: `Module/File.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
