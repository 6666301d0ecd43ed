#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Fails the running test, of Swift Testing or XCTest.
///
/// A ``TestStore`` calls it by default (see its `onFailure`). PledgeTesting links to neither framework, but looks for
/// them in the running process. If neither is loaded, or if the process was not started to run tests, this function
/// stops the program with the message. See Docs/Decisions/Project/why-test-frameworks-are-looked-up.md.
///
/// - Parameters:
///   - message: The text of the failure.
///   - location: The place where the failure is shown.
@Sendable
public func reportTestFailure(_ message: String, at location: TestSourceLocation) {
    TestFrameworks.loaded.report(message, at: location)
}

/// The test frameworks in this process.
struct TestFrameworks: Sendable {
    let swiftTesting: SwiftTestingCalls?
    let xcTest: XCTestCalls?
    let isTestProcess: Bool

    static let loaded = TestFrameworks(
        swiftTesting: SwiftTestingCalls(lookUp: LoadedFunction.init),
        xcTest: XCTestCalls(lookUp: LoadedFunction.init),
        isTestProcess: PledgeTesting.isTestProcess()
    )

    func report(_ message: String, at location: TestSourceLocation) {
        if let swiftTesting, swiftTesting.isInTest {
            return swiftTesting.record(message, at: location)
        }
        guard isTestProcess, swiftTesting != nil || xcTest != nil else {
            fatalError("\(location): \(message)")
        }
        // This thread runs no test of Swift Testing. So it's a test of XCTest, or the call comes from outside a test's
        // thread and tasks. Both frameworks are called; one without a test ignores it.
        xcTest?.fail(message, at: location)
        swiftTesting?.record(message, at: location)
    }
}

/// The functions of Swift Testing that ``reportTestFailure(_:at:)`` calls, found by name in the process.
///
/// Swift Testing is built for library evolution: its public functions keep their names, and its structs are passed by
/// address, like values of a generic type. So a type with a generic parameter in place of each struct can call them.
///
/// Invariant: each function is cast to its symbol's signature.
struct SwiftTestingCalls: Sendable {
    private let current: LoadedFunction
    private let makeLocation: LoadedFunction
    private let recordIssue: LoadedFunction
    private let test: Any.Type
    private let comment: Any.Type
    private let location: Any.Type
    private let issue: Any.Type

    /// Nil if a function or type is missing.
    init?(lookUp: (String) -> LoadedFunction?) {
        guard
            // Test.current: Test?
            let current = lookUp("$s7Testing4TestV7currentACSgvgZ"),
            // SourceLocation.init(fileID: String, filePath: String, line: Int, column: Int)
            let makeLocation = lookUp(
                "$s7Testing14SourceLocationV6fileID0D4Path4line6columnACSS_SSS2itcfC"),
            // Issue.record(_: Comment?, sourceLocation: SourceLocation) -> Issue
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

    /// True if this thread runs a test, or a task of one.
    var isInTest: Bool {
        func call<Test>(_: Test.Type) -> Bool {
            current.cast(to: CurrentTest<Test>.self).call() != nil
        }
        return call(test)
    }

    /// Records an issue in the running test, or else in the whole run.
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

    /// A file ID as Swift Testing requires it: a module, a slash and a name.
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
    /// The arguments are `consuming`, because the function is an initializer.
    let call: @convention(thin) (consuming String, consuming String, Int, Int) -> Location
}

private struct RecordIssue<Comment, Location, Issue> {
    let call: @convention(thin) (Comment?, Location) -> Issue
}

/// The function of XCTest that ``reportTestFailure(_:at:)`` calls, found by name in the process.
///
/// Invariant: it's cast to its symbol's signature, whose types are from the standard library, with a fixed layout.
struct XCTestCalls: Sendable {
    private let fail: LoadedFunction

    /// Nil if the function is missing.
    init?(lookUp: (String) -> LoadedFunction?) {
        // XCTFail(_: String, file: StaticString, line: UInt)
        guard let fail = lookUp("$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF") else {
            return nil
        }
        self.fail = fail
    }

    /// Fails the running test, if there is one.
    ///
    /// XCTest uses paths, not file IDs.
    func fail(_ message: String, at location: TestSourceLocation) {
        self.fail.cast(to: Fail.self).call(message, location.filePath, location.line)
    }
}

private struct Fail {
    let call: @convention(thin) (String, StaticString, UInt) -> Void
}

struct LoadedFunction: Sendable {
    private let address: UInt

    /// Nil if no library has a function with this symbol.
    init?(named name: String) {
        #if canImport(Darwin)
        let anywhere = UnsafeMutableRawPointer(bitPattern: -2)  // RTLD_DEFAULT
        #else
        let anywhere: UnsafeMutableRawPointer? = nil
        #endif
        guard let symbol = dlsym(anywhere, name) else { return nil }
        address = UInt(bitPattern: symbol)
    }

    /// The function as the only property of a struct.
    ///
    /// A plain function type as `Holder` would make Swift convert the function, because this method is generic.
    ///
    /// - Parameter type: A struct whose only property is a thin function (an address without a context) of the
    ///   function's type.
    func cast<Holder>(to type: Holder.Type) -> Holder {
        precondition(MemoryLayout<Holder>.size == MemoryLayout<UInt>.size, "a thin function")
        return unsafeBitCast(address, to: type)
    }
}

/// Returns whether this process was started to run tests.
///
/// Its arguments then contain a test bundle, or the tool that loads one; an app that hosts tests has a variable
/// `XCTest…` in its environment.
func isTestProcess(
    arguments: [String] = CommandLine.arguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
) -> Bool {
    let isRunner = arguments.contains { argument in
        argument == "--testing-library" || argument.contains(".xctest")
            || argument.hasSuffix("/xctest") || argument.hasSuffix("swiftpm-testing-helper")
    }
    return isRunner || environment.keys.contains { $0.hasPrefix("XCTest") }
}
