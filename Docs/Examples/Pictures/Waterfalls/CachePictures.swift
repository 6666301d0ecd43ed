import Foundation
import Pledge
import PledgeObservation
import Testing

/// The right and the wrong place of a cache.
@Suite struct CachePictures {
    /// Answers /prices for a minute, and fails for all else.
    private func server(on scheduler: ManualScheduler) -> HTTPService {
        { request in
            let isUp = request.url.path == "/prices"
            let answer = HTTPResponse(
                status: isUp ? 200 : 503, headers: isUp ? ["Cache-Control": "max-age=60"] : [:])
            return Future(value: answer).delay(.milliseconds(40), on: scheduler)
        }
    }

    private func panel(
        _ heading: String, cacheIsOutside: Bool
    ) throws -> WaterfallPicture.Panel {
        let run = PolicyRun()
        let scheduler = run.scheduler
        let cache = HTTPCache(now: { Date(timeIntervalSince1970: 0) }, on: scheduler)
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let policies: [Middleware<HTTPRequest, HTTPResponse>] = [
            .cache(sharing: cache), .circuitBreaker(sharing: breaker),
        ]
        let service = stack(
            .observed(by: run.recorder.observer, on: scheduler, named: { $0.url.path }),
            Middleware(stacking: cacheIsOutside ? policies : policies.reversed()),
            .observed(named: { _ in "request" }), over: server(on: scheduler))
        for path in ["prices", "stock", "prices"] {
            service(HTTPRequest(URL(string: "https://shop.example/\(path)")!)).observe { _ in }
            scheduler.advance(by: .milliseconds(80))
        }
        return WaterfallPicture.Panel(heading: heading, trace: try CallTrace(of: run.recorder))
    }

    @Test func cache() throws {
        try Picture.comparing(
            "cache", title: "A cache outside a circuit breaker and beneath it",
            description: """
                A breaker that the failure of /stock opens. Outside the breaker, the cache answers the second call of \
                /prices. Beneath it, the breaker refuses that call.
                """,
            [
                try panel("right: the cache outside the breaker", cacheIsOutside: true),
                try panel("wrong: the cache beneath the breaker", cacheIsOutside: false),
            ])
    }
}
