import Foundation
package import PledgeFutures
package import PledgeHTTPMessages
package import PledgeHTTPTransportKit
import PledgeServices

/// A service that answers by a function, and records the requests.
package final class ScriptedServer: Sendable {
    private let answer: @Sendable (HTTPRequest) -> Future<HTTPResponse>
    private let asked = Locked<[HTTPRequest]>([])

    /// Answers later.
    package init(later answer: @escaping @Sendable (HTTPRequest) -> Future<HTTPResponse>) {
        self.answer = answer
    }

    /// Answers at once.
    package convenience init(_ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        self.init(later: { Future(value: answer($0)) })
    }

    /// Returns each answer once, in order, and 200 after the last.
    package convenience init(_ answers: [HTTPResponse]) {
        let left = Locked(answers[...])
        self.init { _ in left.withLock { $0.popFirst() } ?? HTTPResponse(status: 200) }
    }

    /// The requests, in order.
    package var requests: [HTTPRequest] { asked.withLock { $0 } }

    package var send: HTTPService {
        { request in
            self.asked.withLock { $0.append(request) }
            return self.answer(request)
        }
    }

    /// The same, with streamed bodies; `onCancel` is called for those that are given up.
    package func stream(onCancel: @escaping @Sendable (Int) -> Void = { _ in })
        -> HTTPStreamingService
    {
        { request in
            self.send(request).map { response in
                HTTPStreamedResponse(
                    status: response.status, headers: response.headers,
                    body: Self.body(response, onCancel), url: response.url)
            }
        }
    }

    private static func body(
        _ response: HTTPResponse, _ onCancel: @escaping @Sendable (Int) -> Void
    ) -> HTTPBodyStream {
        let data = Locked<Data?>(response.body)
        return HTTPBodyStream(
            next: {
                Future(
                    value: data.withLock { data in
                        defer { data = nil }
                        return data
                    })
            },
            cancel: { onCancel(response.status) })
    }
}

extension HTTPResponse {
    /// A redirect.
    package static func redirect(_ status: Int = 302, to location: String, _ body: String = "")
        -> Self
    {
        HTTPResponse(status: status, headers: ["Location": location], body: Data(body.utf8))
    }
}

extension HTTPRequest {
    /// Makes a request for a URL that is known to be valid.
    package init(_ method: HTTPMethod = .get, at url: String, headers: HTTPHeaders = [:]) {
        self.init(method, URL(string: url)!, headers: headers)
    }
}
