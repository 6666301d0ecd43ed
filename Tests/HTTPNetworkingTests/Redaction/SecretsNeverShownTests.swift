import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPNetworking

/// Secrets in every possible place, and all texts that must not contain them.
///
/// PLEDGE_FUZZ_INPUTS chooses how many places: all texts of a hundredth, and the two that are shown most of a tenth.
@Suite(.oneAtATime) struct SecretsNeverShownTests {
    private static let count = UInt64(fuzzInputCount())

    @Test func noTextOfAnExchangeShowsOne() {
        for seed in 0..<Self.count / 100 {
            let planted = PlantedSecrets(seed: seed)
            check(planted, seed, allTexts(of: planted))
        }
    }

    @Test func neitherDescriptionNorCommandShowsOne() {
        for seed in 1_000..<1_000 + Self.count / 10 {
            let planted = PlantedSecrets(seed: seed)
            check(planted, seed, ["\(planted.error)", planted.request.curlCommand])
        }
    }

    private func check(_ planted: PlantedSecrets, _ seed: UInt64, _ texts: [String]) {
        let lowercased = texts.map { Data($0.lowercased().utf8) }
        let encoded = planted.secrets.map { PercentEncoding.query.encode($0) }
        for secret in Set(planted.secrets + planted.echoes + encoded) {
            let bytes = Data(secret.lowercased().utf8)
            guard let index = lowercased.firstIndex(where: { $0.range(of: bytes) != nil }) else {
                continue
            }
            let asked = planted.request.curlCommand(revealingSecrets: true)
            Issue.record("seed \(seed): \(secret) in \(texts[index]), asked for by \(asked)")
        }
    }

    private func allTexts(of planted: PlantedSecrets) -> [String] {
        let (request, error) = (planted.request, planted.error)
        // A response alone has no request to compare with, and its description treats the words of
        // the media type as harmless.
        var response = planted.response
        response.headers["Content-Type"] = "text/plain"
        let streamed = HTTPStreamedResponse(
            status: response.status, headers: response.headers, body: HTTPBodyStream(response.body))
        let reported = [
            error.localizedDescription, "\(error as NSError)",
            error.bodyPreview(upTo: 10_000) ?? "", error.bodyPreview(upTo: 20) ?? "",
            request.curlCommand, error.curlCommand ?? "", error.loggedCode,
        ]
        return reported + texts(of: request) + texts(of: request.headers) + texts(of: request.body)
            + texts(of: request.context) + texts(of: response) + texts(of: streamed)
            + texts(of: error) + mirrored(error) + mirrored(request) + mirrored(response)
            + mirrored(streamed) + observed(planted)
    }

    /// All texts in a mirror, and in nested mirrors.
    private func mirrored(_ value: Any, depth: Int = 0) -> [String] {
        guard depth < 12 else { return [] }
        let below = Mirror(reflecting: value).children.flatMap { child in
            [child.label ?? ""] + mirrored(child.value, depth: depth + 1)
        }
        return [String(reflecting: value)] + below
    }

    /// The texts of a stack's observers about a call.
    private func observed(_ planted: PlantedSecrets) -> [String] {
        let (recorder, metrics) = (CallRecorder(), ServiceMetrics())
        let scheduler = ManualScheduler()
        let lines = Locked<[String]>([])
        let add: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
        let response = planted.response
        let service: HTTPService = stack(
            .observed(
                by: recorder.observer, metrics.observer, .logging(add), on: scheduler,
                named: { "\($0)" }),
            .idempotencyKey { _ in "q5ecr3t-idempotency-k3y" },
            .retry(attempts: 2, backoff: .constant(.zero), on: scheduler),
            .exchangeLog(on: scheduler) { exchange in
                add(exchange.logLine)
                add(exchange.logLineWithHeaders)
                texts(of: exchange).forEach(add)
            },
            .acceptStatus(), over: { _ in Future(value: response) })
        let result = service(planted.request)
        let call = recorder.lastCall
        return lines.withLock { $0 } + texts(of: result)
            + [
                "\(String(describing: result.result))", call?.waterfall() ?? "",
                recorder.chromeTrace, recorder.htmlPage, metrics.prometheusText,
            ]
    }

    @Test func theKeyOfACallIsNotShown() throws {
        let request = HTTPRequest(
            .post, try #require(URL(string: "https://a.example/")),
            context: .init(idempotencyKey: "q5ecr3t-idempotency-k3y", tags: ["a": "q5ecr3t-tag"]))
        let response = HTTPResponse(status: 409, body: Data("q5ecr3t-idempotency-k3y".utf8))
        let error = HTTPError(code: .unacceptableStatus, request: request, response: response)
        for text in texts(of: error) + texts(of: request) + mirrored(error) + [request.curlCommand]
        {
            #expect(!text.contains("q5ecr3t"), "\(text)")
        }
    }

    @Test func anEndpointsSecretsAreNotShownEither() async {
        await onOwnThread {
            for seed in 0..<Self.count / 100 {
                let planted = PlantedSecrets(seed: seed)
                guard case .data(let data) = planted.request.body.content else { continue }
                let type = planted.request.body.contentType ?? ""
                let endpoint = Endpoint(
                    path: "/a", queryItems: [.init(name: "q", value: planted.secrets[0])],
                    method: .post,
                    headers: planted.request.headers, body: .data(data, contentType: type),
                    base: planted.request.url)
                let error = HTTPError(
                    code: .unacceptableStatus, endpoint: endpoint, response: planted.response)
                check(planted, seed, ["\(error)", "\(endpoint)"] + mirrored(error))
            }
        }
    }
}
