import Foundation
import Pledge
import PledgeObservation

#if AsyncHTTPClient
import PledgeAsyncHTTPClientTransport
#endif

/// A URL to load, with the settings for loading it.
struct Load {
    var endpoint: Endpoint
    var transport = LoadTransport.ofThisSystem
    /// The time limit for the whole load, including redirects and the body.
    var limit = Duration.seconds(300)

    private static let mostBytes = 64 << 20

    /// Loads the URL, following redirects, and shows the response.
    func run(recordedBy recorder: CallRecorder) -> Future<Void> {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let request = try HTTPRequest(endpoint)
            let line = ProgressLine()
            let load: HTTPStreamingService = stack(
                .observed(by: recorder.observer, named: { "\($0)" }), .deadline(limit),
                .redirect(), .downloadProgress(line.update),
                over: try transport.open())
            return load(request)
                .flatMap { $0.collected(upTo: Self.mostBytes) }
                .always { line.finish() }
                .map { response in
                    _ = try response.acceptedBody(for: endpoint)
                    show(response, after: clock.now - start)
                }
        } catch {
            return Future(error: error)
        }
    }

    private func show(_ response: HTTPResponse, after time: Duration) {
        let type = response.headers["Content-Type"].map { ", \(Printable.line($0))" } ?? ""
        print("loaded   \(endpoint)")
        if let last = response.url, last != endpoint.url {
            print("final    \(Endpoint(url: last))")
        }
        print("through  \(transport.words)")
        print("status   \(response.status)")
        print("time     \(time.inSeconds(digits: 3)) s")
        print("size     \(response.body.count) bytes\(type)")
        print("")
        print(Printable.beginning(of: response.body))
    }
}

extension Duration {
    /// Returns the seconds with `digits` digits after the decimal point.
    fileprivate func inSeconds(digits: Int) -> String {
        let milliseconds = self / .milliseconds(1)
        return String(format: "%.\(digits)f", milliseconds / 1000)
    }
}

/// A transport that can load a URL.
enum LoadTransport: String, CaseIterable {
    case curl
    case urlsession
    case ahc

    /// The names of all transports.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The default transport of a client.
    static var ofThisSystem: LoadTransport {
        switch DefaultTransport.ofThisSystem {
        case .curl: .curl
        case .urlsession: .urlsession
        }
    }

    /// Finds a transport by its name.
    init(named name: String) throws(Failure) {
        guard let transport = LoadTransport(rawValue: name) else {
            throw Failure(
                wrongUse: "there is no transport \(Printable.quoted(name)); there are \(Self.names)"
            )
        }
        self = transport
    }

    /// A short description.
    var words: String {
        switch self {
        case .curl: "curl (libcurl \((try? CurlLibrary.lookUp().version) ?? "not found"))"
        case .urlsession: "urlsession (URLSession)"
        case .ahc: "ahc (AsyncHTTPClient)"
        }
    }

    /// Returns the transport's service.
    func open() throws -> HTTPStreamingService {
        switch self {
        case .curl:
            _ = try CurlLibrary.lookUp()
            return CurlTransport().stream
        case .urlsession: return SessionTransport().stream
        case .ahc:
            #if AsyncHTTPClient
            return AHCTransport.shared.stream
            #else
            throw Failure(
                wrongUse: "this build has no AsyncHTTPClient; "
                    + "use swift run --traits AsyncHTTPClient quickstart")
            #endif
        }
    }
}
