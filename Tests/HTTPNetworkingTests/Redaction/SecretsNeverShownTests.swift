import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeObservation
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPNetworking
@testable import PledgeHTTPText
@testable import PledgeHTTPTransportKit

/// Secrets in every possible place, and all texts that must not contain them.
///
/// PLEDGE_FUZZ_INPUTS chooses how many places: all texts of a hundredth, and the two that are shown most of a tenth.
@Suite(.oneAtATime) struct SecretsNeverShownTests {
    private static let count = UInt64(fuzzInputCount())

    @Test func noTextOfAnExchangeShowsItsSecrets() {
        for seed in 0..<Self.count / 100 {
            let planted = PlantedSecrets(seed: seed)
            check(planted, seed, allTexts(of: planted))
        }
    }

    @Test func neitherDescriptionNorCommandShowsASecret() {
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
            .retry(Retry(attempts: 2, backoff: .constant(.zero)), on: scheduler),
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
                    path: "/a", query: .init([.init(name: "q", value: planted.secrets[0])]),
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

/// A random exchange with secrets in every possible place.
struct PlantedSecrets {
    private(set) var secrets: [String] = []
    /// The spellings of the secrets that the server repeats.
    private(set) var echoes: [String] = []
    private(set) var request: HTTPRequest
    private(set) var response: HTTPResponse
    private var random: SeededGenerator

    struct Loud: Error, CustomStringConvertible {
        let description: String
    }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        request = HTTPRequest(.post, URL(string: "https://a.example/")!)
        response = HTTPResponse(status: 400)
        plantURL()
        plantHeaders()
        plantBody()
        let known = secrets
        plantAnswer(known)
    }

    var error: HTTPError {
        HTTPError(
            code: .unacceptableStatus, request: request, response: response,
            cause: Loud(description: secrets.joined(separator: " ")))
    }

    private mutating func plantURL() {
        var parts = URLComponents()
        parts.scheme = "https"
        parts.host = "api.example.com"
        parts.path = "/orders/7"
        if chance(2) {
            parts.user = secret()
            parts.password = secret()
        }
        parts.queryItems = (0..<Int.random(in: 0...3, using: &random)).map { number in
            URLQueryItem(name: "q\(number)", value: secret())
        }
        if chance(3) { parts.fragment = chance(2) ? secret() : "access_token=\(secret())&x=1" }
        if let url = parts.url { request.url = url }
    }

    private mutating func plantHeaders() {
        for name in ["Authorization", "Proxy-Authorization"] where chance(2) {
            request.headers.add(credentials(), for: name)
        }
        if chance(2) { request.headers.add("sid=\(secret()); theme=\(secret())", for: "Cookie") }
        for name in ["X-Api-Key", "X-Amz-Security-Token", "Whatever"] where chance(3) {
            request.headers.add(secret(), for: name)
        }
        request.headers.add("Shop/1.0", for: "User-Agent")
        if chance(2) { response.headers.add("sid=\(secret()); Path=/", for: "Set-Cookie") }
        if chance(3) { response.headers.add(secret(), for: "X-New-Token") }
        if chance(3) {
            let code = PercentEncoding.query.encode(secret())
            response.headers.add("https://b.example/cb?code=\(code)", for: "Location")
        }
    }

    private mutating func credentials() -> String {
        switch Int.random(in: 0...3, using: &random) {
        case 0: return "Bearer \(secret())"
        case 1: return "Basic \(Data("\(secret()):\(secret())".utf8).base64EncodedString())"
        case 2: return "Digest username=\"\(secret())\", response=\"\(secret())\""
        default: return secret()
        }
    }

    private mutating func plantBody() {
        switch Int.random(in: 0...4, using: &random) {
        case 0:
            let items = (0...2).map { URLQueryItem(name: "f\($0)", value: secret()) }
            request.body = .form(Endpoint.Query(items))
        case 1: request.body = .data(json(), contentType: "application/json")
        case 2: request.body = .data(json(), contentType: "application/octet-stream")
        case 3: request.body = .data(Data(secret().utf8), contentType: "text/plain")
        default: request.body = .none
        }
    }

    private mutating func json() -> Data {
        var planted: [String] = []
        let object = RandomJSON.object(depth: 3, using: &random) { random in
            planted.append(Self.secret(using: &random))
            return planted[planted.count - 1]
        }
        secrets += planted
        return try! JSONSerialization.data(withJSONObject: object)
    }

    /// Makes a server's answer that repeats the request's secrets, in any spelling and at any place.
    private mutating func plantAnswer(_ known: [String]) {
        let spelled = known.map { spelling(of: $0) }
        echoes = spelled
        let all = spelled.shuffled(using: &random).prefix(6)
        let text = all.map { "no \($0) here" }.joined(separator: "; ")
        switch Int.random(in: 0...4, using: &random) {
        case 0: answer(text, "text/plain")
        case 1: answer("<html><p>\(text)</p><b title='\(all.first ?? "")'>x</b>", "text/html")
        case 2: answer(text, nil)
        case 3:
            let body = all.map { "\($0.isEmpty ? "x" : "e")=\(PercentEncoding.form.encode($0))" }
            answer(body.joined(separator: "&"), "application/x-www-form-urlencoded")
        default: answerJSON(text, Array(all))
        }
    }

    private mutating func answerJSON(_ text: String, _ all: [String]) {
        let own = secret()
        var object: [String: Any] = [
            "error": text, "message": ["title": text, "token": own],
            "reason": "your \(own) is \(all.last ?? "bad")", "list": all, "detail": all,
        ]
        for echo in all { object[echo] = chance(2) ? own : ["code": echo] as [String: Any] }
        let data = try! JSONSerialization.data(withJSONObject: object)
        var body = String(decoding: data, as: UTF8.self)
        if chance(4) { body = String(body.dropLast(Int.random(in: 1...40, using: &random))) }
        let types = ["application/json", "application/problem+json", "text/plain", "image/png"]
        answer(body, types.randomElement(using: &random))
    }

    private mutating func answer(_ body: String, _ type: String?) {
        response.body = Data(body.utf8)
        if let type { response.headers.add(type, for: "Content-Type") }
        if let type, chance(5), let secret = secrets.first {
            response.headers["Content-Type"] = "\(type); x=\(PercentEncoding.query.encode(secret))"
        }
    }

    private mutating func spelling(of secret: String) -> String {
        let scalars = secret.unicodeScalars
        switch Int.random(in: 0...8, using: &random) {
        case 0: return PercentEncoding.query.encode(secret)
        case 1: return PercentEncoding.form.encode(secret)
        case 2: return PercentEncoding.query.encode(secret).lowercased()
        case 3: return PercentEncoding.query.encode(PercentEncoding.query.encode(secret))
        case 4:
            return secret.utf16.map { unit in
                "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count)
                    + String(unit, radix: 16)
            }.joined()
        case 5: return scalars.map { "&#\($0.value);" }.joined()
        case 6:
            return secret.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined()
        default: return secret
        }
    }

    private mutating func secret() -> String {
        let secret = Self.secret(using: &random)
        secrets.append(secret)
        return secret
    }

    /// A password, a token or a number: at least six bytes, without spaces at its ends.
    private static func secret(using random: inout some RandomNumberGenerator) -> String {
        let alphabets = [
            "0123456789abcdef", "0123456789", "abcdefghijklmnopqrstuvwxyz",
            "ABCDEFabcdef0123456789-_", "abcXYZ019+/=", "aZ9!@#$%^&*()[]{}<>?/\\|~`'.:",
            "pä☃é漢字ßx9",
        ]
        let letters = Array(alphabets.randomElement(using: &random)!)
        let count = Int.random(in: 8...40, using: &random)
        return "q" + String((0..<count).map { _ in letters.randomElement(using: &random)! }) + "7"
    }

    private mutating func chance(_ sides: Int) -> Bool {
        Int.random(in: 0..<sides, using: &random) == 0
    }
}
