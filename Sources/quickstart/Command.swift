import Foundation
import Pledge
import PledgeObservation
import PledgeTesting

/// The parsed arguments.
struct Command {
    /// What to do.
    enum Action {
        case tour
        case load(Load)
        case help
    }

    var action: Action
    /// The file to write the trace to; nil for none.
    var traceFile: String?
    /// The file to write the page to; nil for none.
    var pageFile: String?

    static let usage = """
        usage: swift run quickstart [--page FILE.html] [--trace FILE.json] [--transport NAME]
                                    [--timeout SECONDS] [URL]

          without a URL      calls a busy shop in memory, shows what the policies do about it,
                             and does what the articles do
          with a URL         loads it and shows status, time, size, and the body's beginning
          --page FILE        writes what was observed as a page, for any browser
          --trace FILE       writes what was observed, for ui.perfetto.dev or chrome://tracing
          --transport NAME   loads the URL through curl, the default on Linux where libcurl is found,
                             through urlsession, the default elsewhere, or through ahc, which needs
                             swift run --traits AsyncHTTPClient quickstart
          --timeout SECONDS  gives up after so long, 300 by default
        """

    /// Does what the arguments ask for, and returns the failure; nil if it succeeds.
    static func run(_ arguments: some Collection<String>) async -> Failure? {
        do {
            let command = try Command(arguments)
            let recorder = CallRecorder()
            switch command.action {
            case .help: print(usage)
            case .tour:
                try await makeFirstCall()
                try await runBusyDay(recordedBy: recorder).value
                try await runTour(on: server.request).value
            case .load(let load): try await load.run(recordedBy: recorder).value
            }
            if let file = command.traceFile { try writeTrace(of: recorder, to: file) }
            if let file = command.pageFile { try writePage(of: recorder, to: file) }
            return nil
        } catch {
            return Failure(error)
        }
    }

    init(_ arguments: some Collection<String>) throws(Failure) {
        var arguments = Array(arguments)
        if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            action = .help
            return
        }
        traceFile = try Self.take("--trace", "a file, like trace.json", from: &arguments)
        pageFile = try Self.take("--page", "a file, like calls.html", from: &arguments)
        let transport = try Self.take("--transport", LoadTransport.names, from: &arguments)
            .map(LoadTransport.init(named:))
        let limit = try Self.take(
            "--timeout", "a number of seconds", from: &arguments
        ).map(Self.limit)
        if let flag = arguments.first(where: { $0.hasPrefix("-") }) {
            throw Failure(wrongUse: "unknown flag \(Printable.quoted(flag)); see --help")
        } else if arguments.count > 1 {
            throw Failure(wrongUse: "one URL at most, not \(arguments.count); see --help")
        } else if let first = arguments.first {
            var load = Load(endpoint: try Self.endpoint(of: first))
            if let transport { load.transport = transport }
            if let limit { load.limit = limit }
            action = .load(load)
        } else if transport != nil || limit != nil {
            let flag = transport != nil ? "--transport" : "--timeout"
            throw Failure(wrongUse: "\(flag) needs a URL; see --help")
        } else {
            action = .tour
        }
    }

    /// Removes a flag and the word after it from the arguments, and returns the word; nil if the flag is missing.
    private static func take(
        _ flag: String, _ needed: String, from arguments: inout [String]
    ) throws(Failure) -> String? {
        guard let index = arguments.firstIndex(of: flag) else { return nil }
        let word = arguments[index...].dropFirst().first ?? ""
        guard !word.isEmpty, !word.hasPrefix("-") else {
            throw Failure(wrongUse: "\(flag) needs \(needed); see --help")
        }
        arguments.removeSubrange(index...index + 1)
        guard !arguments.contains(flag) else {
            throw Failure(wrongUse: "\(flag) is given more than once; see --help")
        }
        return word
    }

    /// Parses the time limit in a word.
    private static func limit(_ word: String) throws(Failure) -> Duration {
        guard let seconds = Double(word), seconds > 0, seconds <= 1e9 else {
            throw Failure(
                wrongUse:
                    "--timeout needs a number of seconds above zero, not \(Printable.quoted(word))")
        }
        return .seconds(seconds)
    }

    /// Parses the endpoint in a URL.
    private static func endpoint(of text: String) throws(Failure) -> Endpoint {
        let url = URL(string: text, encodingInvalidCharacters: false)
        let afterScheme = text.drop { $0 != ":" }.dropFirst()
        // In "localhost:8080", the part before the colon is a host, not a scheme.
        guard let url, let scheme = url.scheme?.lowercased(), afterScheme.first?.isNumber != true
        else {
            throw Failure(
                wrongUse: "\(shown(text)) is no URL; write one like https://example.com"
            )
        }
        guard ["http", "https"].contains(scheme) else {
            throw Failure(
                wrongUse:
                    "the scheme \(Printable.quoted(scheme)) is not supported; http and https are"
            )
        }
        let endpoint = Endpoint(url: url)
        guard endpoint.url != nil else {
            throw Failure(
                wrongUse: "\(shown(text)) is no URL that leads to a host; "
                    + "write one like https://example.com"
            )
        }
        return endpoint
    }

    /// Returns a text that was meant as a URL, without the part that may be a password.
    private static func shown(_ text: String) -> String {
        let place = text.split(separator: "@", omittingEmptySubsequences: false)
        return Printable.quoted(place.count > 1 ? "…@\(place[place.count - 1])" : text)
    }
}

/// Writes a recorder's calls to a file for a trace viewer.
func writeTrace(of recorder: CallRecorder, to file: String) throws(Failure) {
    do {
        // This write is not atomic, because an atomic write would replace a device, such as /dev/stdout, with a file.
        try Data(recorder.chromeTrace.utf8).write(to: URL(fileURLWithPath: file))
    } catch {
        throw Failure("trace", unwritable: file)
    }
    print("\nThe trace is in \(Printable.line(file)); open it in ui.perfetto.dev.")
}

/// Writes a recorder's calls to a file as a page for a browser.
func writePage(of recorder: CallRecorder, to file: String) throws(Failure) {
    do {
        try recorder.page(to: URL(fileURLWithPath: file))
    } catch {
        throw Failure("page", unwritable: file)
    }
    print("\nThe page is in \(Printable.line(file)); open it in a browser.")
}

/// A reason why the program didn't do its work: one line and an exit code.
struct Failure: Error, CustomStringConvertible {
    let description: String
    let exitCode: Int32

    /// Creates a failure for invalid arguments.
    init(wrongUse text: String) {
        description = text
        exitCode = 2
    }

    /// Creates a failure for a trace file or page file that can't be written.
    init(_ content: String, unwritable file: String) {
        description =
            "the \(content) cannot be written to \(Printable.quoted(file)); "
            + "name a file in a folder that exists and may be written to"
        exitCode = 1
    }

    /// Creates a failure from an error of the work.
    init(_ error: any Error) {
        if let failure = error as? Failure {
            self = failure
        } else {
            description = Printable.line("\(error)")
            exitCode = 1
        }
    }
}
