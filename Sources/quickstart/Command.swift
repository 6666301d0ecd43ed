import Foundation
import Pledge

/// What the arguments ask for.
struct Command {
    /// What is to be done.
    enum Work {
        case tour
        case load(Endpoint)
        case help
    }

    var work: Work
    /// The file that the trace is written to, if one is asked for.
    var traceFile: String?

    static let usage = """
        usage: swift run quickstart [--trace FILE.json] [URL]

          without a URL   loads products and logs in, on a network in memory, and shows what
                          policies do about a server that is busy
          with a URL      loads it and shows status, time, size, and the body's beginning
          --trace FILE    writes what was observed, for ui.perfetto.dev or chrome://tracing
        """

    /// Does what the arguments ask for: nil where all went well.
    static func run(_ arguments: some Collection<String>) async -> Failure? {
        do {
            let command = try Command(arguments)
            let recorder = CallRecorder()
            switch command.work {
            case .help: print(usage)
            case .tour:
                try await runTour(on: server.request).value
                try await runBusyDay(recordedBy: recorder).value
            case .load(let endpoint):
                try await runLoad(of: endpoint, recordedBy: recorder).value
            }
            if let file = command.traceFile { try writeTrace(of: recorder, to: file) }
            return nil
        } catch {
            return Failure(error)
        }
    }

    init(_ arguments: some Collection<String>) throws(Failure) {
        var arguments = Array(arguments)
        if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            work = .help
            return
        }
        traceFile = try Self.takeTraceFile(from: &arguments)
        if let flag = arguments.first(where: { $0.hasPrefix("-") }) {
            throw Failure(wrongUse: "unknown flag \(Printable.quoted(flag)); see --help")
        } else if arguments.count > 1 {
            throw Failure(wrongUse: "one URL at most, not \(arguments.count); see --help")
        } else if let first = arguments.first {
            work = .load(try Self.endpoint(of: first))
        } else {
            work = .tour
        }
    }

    /// Takes `--trace` and the file behind it out of the arguments.
    private static func takeTraceFile(from arguments: inout [String]) throws(Failure) -> String? {
        guard let flag = arguments.firstIndex(of: "--trace") else { return nil }
        let file = arguments[flag...].dropFirst().first ?? ""
        guard !file.isEmpty, !file.hasPrefix("-") else {
            throw Failure(wrongUse: "--trace needs a file, like trace.json; see --help")
        }
        arguments.removeSubrange(flag...flag + 1)
        guard !arguments.contains("--trace") else {
            throw Failure(wrongUse: "--trace is given more than once; see --help")
        }
        return file
    }

    /// The endpoint that a URL names.
    private static func endpoint(of text: String) throws(Failure) -> Endpoint {
        let url = URL(string: text, encodingInvalidCharacters: false)
        let afterScheme = text.drop { $0 != ":" }.dropFirst()
        // What looks like a scheme in "localhost:8080" is a host.
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

    /// A text that was meant as a URL, without what may be a password.
    private static func shown(_ text: String) -> String {
        let place = text.split(separator: "@", omittingEmptySubsequences: false)
        return Printable.quoted(place.count > 1 ? "…@\(place[place.count - 1])" : text)
    }
}
