import Foundation
import Pledge

/// What the arguments ask for.
enum Command {
    case tour
    case load(Endpoint)
    case help

    static let usage = """
        usage: swift run quickstart [URL]

          without a URL   loads products and logs in, on a network in memory
          with a URL      loads it and shows status, time, size, and the body's beginning
        """

    /// Does what the arguments ask for: nil where all went well.
    static func run(_ arguments: some Collection<String>) async -> Failure? {
        do {
            switch try Command(arguments) {
            case .help: print(usage)
            case .tour: try await runTour(on: server.request).value
            case .load(let endpoint): try await runLoad(of: endpoint).value
            }
            return nil
        } catch {
            return Failure(error)
        }
    }

    init(_ arguments: some Collection<String>) throws(Failure) {
        let first = arguments.first
        if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .help
        } else if let flag = arguments.first(where: { $0.hasPrefix("-") }) {
            throw Failure(wrongUse: "unknown flag \(Printable.quoted(flag)); see --help")
        } else if arguments.count > 1 {
            throw Failure(wrongUse: "one URL at most, not \(arguments.count); see --help")
        } else if let first {
            self = .load(try Self.endpoint(of: first))
        } else {
            self = .tour
        }
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
