import Foundation
import Pledge

/// Loads an endpoint through a transport, redirects followed, and shows what came.
func runLoad(
    of endpoint: Endpoint, through transport: @escaping HTTPService,
    recordedBy recorder: CallRecorder
) -> Future<Void> {
    let load = stack(
        .observed(by: recorder.observer, named: { "\($0)" }), .redirect(), over: transport)
    let clock = ContinuousClock()
    let start = clock.now
    let request: HTTPRequest
    do { request = try HTTPRequest(endpoint) } catch { return Future(error: error) }
    return load(request).map { response in
        let time = clock.now - start
        _ = try response.acceptedBody(for: endpoint)
        show(response, of: endpoint, after: time)
    }
}

private func show(_ response: HTTPResponse, of endpoint: Endpoint, after time: Duration) {
    let type = response.headers["Content-Type"].map { ", \(Printable.line($0))" } ?? ""
    let seconds = time.inSeconds(digits: 3)
    print("loaded   \(endpoint)")
    print("status   \(response.status)")
    print("time     \(seconds) s")
    print("size     \(response.body.count) bytes\(type)")
    print("")
    print(Printable.beginning(of: response.body))
}

extension Duration {
    /// The seconds, with so many digits behind the point.
    fileprivate func inSeconds(digits: Int) -> String {
        let milliseconds = self / .milliseconds(1)
        return String(format: "%.\(digits)f", milliseconds / 1000)
    }
}
