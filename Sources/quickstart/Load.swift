import Foundation
import Pledge

/// The URL to load, and the settings for it.
struct Load {
    var endpoint: Endpoint
    var transport = LoadTransport.ofThisSystem
    /// The limit for the whole load, including redirects and the body.
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
    /// The seconds, with `digits` digits after the decimal point.
    fileprivate func inSeconds(digits: Int) -> String {
        let milliseconds = self / .milliseconds(1)
        return String(format: "%.\(digits)f", milliseconds / 1000)
    }
}
