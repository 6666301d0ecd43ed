import Foundation
import Pledge
import PledgeFutures
import PledgeTesting
import PledgeTransportChecks
import TestSupport
import Testing

/// Transports with one fault each, which the check of that requirement finds.
@Suite(.oneAtATime) struct PlantedFaultTests {
    private static let wire = CurlTransport()

    /// A transport over libcurl whose requests and responses are changed.
    private static func transport(
        request: @escaping @Sendable (HTTPRequest) -> HTTPRequest = { $0 },
        whole: @escaping @Sendable (Future<HTTPResponse>, HTTPRequest) -> Future<HTTPResponse> = {
            call, _ in call
        },
        stream: @escaping @Sendable (Future<HTTPStreamedResponse>) -> Future<HTTPStreamedResponse> =
            { $0 }
    ) -> CheckedTransport {
        CheckedTransport(
            send: { whole(wire.send(request($0)), $0) },
            stream: { stream(wire.stream(request($0))) }, maxBodySize: 64 << 20,
            patience: .seconds(2))
    }

    /// Does not pass on that nobody waits any more.
    @Sendable private static func kept<Value>(_ call: Future<Value>) -> Future<Value> {
        let promise = Promise<Value>()
        call.observe { promise.settle(with: $0) }
        return promise
    }

    @Sendable private static func answered(
        _ call: Future<HTTPResponse>, _ request: HTTPRequest
    ) -> Future<HTTPResponse> { call.recover { _ in HTTPResponse(status: 200, url: request.url) } }

    private static let faults: [(check: String, transport: CheckedTransport)] = [
        (
            "scheme in capitals",
            transport(request: { request in
                guard request.url.scheme != "http" else { return request }
                return HTTPRequest(.get, URL(fileURLWithPath: "/"))
            })
        ),
        (
            "user in the URL",
            transport(request: { request in
                var request = request
                if request.url.user() != nil { request.headers["Authorization"] = "Basic am9l" }
                return request
            })
        ),
        (
            "an empty body",
            transport(request: { request in
                var request = request
                request.body = .data(Data("x".utf8))
                return request
            })
        ),
        ("no scheme", transport(whole: answered)),
        ("another scheme", transport(whole: answered)),
        (
            "its request",
            transport(whole: { call, _ in
                call.map { response in
                    var response = response
                    response.request = nil
                    return response
                }
            })
        ),
        (
            "challenge",
            transport(whole: { call, request in
                call.flatMap { $0.status == 401 ? wire.send(request) : Future(value: $0) }
            })
        ),
        (
            "part of a body",
            transport(whole: { call, request in
                call.mapError { _ in HTTPError(code: .connectionLost, request: request) }
            })
        ),
        (
            "lost GET",
            transport(request: { request in
                HTTPRequest(.post, request.url, body: .data(Data("x".utf8)))
            })
        ),
        (
            "lost POST",
            transport(whole: { call, request in call.flatMapError { _ in wire.send(request) } })
        ),
        (
            "lost POST with a key",
            transport(request: { request in
                var request = request
                request.context.idempotencyKey = nil
                return request
            })
        ),
        ("cancel one of four", transport(whole: { call, _ in kept(call) })),
        ("cancelled upload", transport(whole: { call, _ in kept(call) })),
        (
            "deadline's timer",
            transport(whole: { call, _ in
                guard let deadline = CallContext.current.deadline else { return call }
                Future<Void>(value: ()).delay(.seconds(9), on: deadline.scheduler).observe { _ in }
                return call
            })
        ),
        ("streamed statuses", transport(stream: { $0.map { stream($0, status: 200) } })),
        ("streamed interim responses", transport(stream: { $0.map { stream($0, status: 103) } })),
        (
            "streams after each other",
            CheckedTransport(
                send: wire.send, stream: { CurlTransport().stream($0) }, maxBodySize: 64 << 20,
                patience: .seconds(2))
        ),
        (
            "stream hang up",
            transport(stream: { call in
                call.recover { _ in HTTPStreamedResponse(status: 200, body: HTTPBodyStream(Data()))
                }
            })
        ),
        ("stream cancelled before its head", transport(stream: { kept($0) })),
        (
            "late reader",
            transport(stream: { call in
                call.map { response in
                    let body = response.body
                    return HTTPStreamedResponse(
                        status: response.status,
                        body: HTTPBodyStream(next: { body.next().recover { _ in nil } }))
                }
            })
        ),
    ]

    @Sendable private static func stream(
        _ response: HTTPStreamedResponse, status: Int
    ) -> HTTPStreamedResponse {
        HTTPStreamedResponse(
            status: status, headers: response.headers, body: response.body, url: response.url)
    }

    @Test(arguments: faults.indices)
    func aCheckFindsTheFaultThatIsPlantedForIt(index: Int) async throws {
        let (name, transport) = Self.faults[index]
        let check = try #require(TransportCheck.all.first { $0.name == name })
        await #expect(throws: TransportFailure.self, "\(name)") {
            try await check.run(transport)
        }
    }
}
