import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import TestSupport
import Testing

@testable import PledgeHTTPCaching

/// Random histories: whatever is given without asking the origin, the oracle must allow.
@Suite(.oneAtATime) struct CacheOracleTests {
    /// The origin of a history: its resources change now and then, and so does what it says of them.
    private struct Origin {
        var random: SeededGenerator
        var answers: [String: CacheOracle.Answer] = [:]
        var version: [String: Int] = [:]
        var count = 0

        mutating func some(_ values: ClosedRange<Int>, oneIn: Int) -> Int? {
            Int.random(in: 1...oneIn, using: &random) == 1
                ? Int.random(in: values, using: &random) : nil
        }

        mutating func answer(_ asked: CacheOracle.Asked, _ request: HTTPRequest, at now: Int)
            -> HTTPResponse
        {
            count += 1
            let one = Bool.random(using: &random)
            let varies = asked.path % 3
            let slot =
                "\(asked.path) \(varies > 0 ? asked.language ?? "" : "") \(varies > 1 ? asked.theme ?? "" : "")"
            if Int.random(in: 0..<3, using: &random) == 0 { version[slot, default: 0] += 1 }
            var answer = CacheOracle.Answer(
                path: asked.path, body: "\(slot) \(version[slot, default: 0])", made: now,
                age: some(1...4, oneIn: 4) ?? 0, maxAge: one ? some(0...12, oneIn: 1) : nil,
                expires: some(0...12, oneIn: 2).map { now + $0 })
            answer.noStore = some(1...1, oneIn: 8) != nil
            answer.noCache = some(1...1, oneIn: 8) != nil
            answer.mustRevalidate = some(1...1, oneIn: 6) != nil
            answer.staleWhile = some(0...6, oneIn: 4)
            if varies > 0 { answer.language = .some(asked.language) }
            if varies > 1 { answer.theme = .some(asked.theme) }
            let isSame = request.headers["If-None-Match"] == answer.headers["ETag"]
            if isSame, let before = answers[answer.body] {
                // A 304 leaves what it does not say as it was.
                if answer.headers["Cache-Control"] == nil {
                    answer.maxAge = before.maxAge
                    answer.noStore = before.noStore
                    answer.noCache = before.noCache
                    answer.mustRevalidate = before.mustRevalidate
                    answer.staleWhile = before.staleWhile
                }
                if answer.expires == nil { answer.expires = before.expires }
            }
            answers[answer.body] = answer
            return HTTPResponse(
                status: isSame ? 304 : 200, headers: answer.headers,
                body: isSame ? Data() : Data(answer.body.utf8))
        }
    }

    private static func asked(_ random: inout SeededGenerator) -> CacheOracle.Asked {
        func some(_ values: ClosedRange<Int>, _ random: inout SeededGenerator) -> Int? {
            Int.random(in: 1...10, using: &random) == 1
                ? Int.random(in: values, using: &random) : nil
        }
        return CacheOracle.Asked(
            path: Int.random(in: 0..<4, using: &random),
            language: [nil, "de", "en"].randomElement(using: &random) ?? nil,
            theme: [nil, "dark"].randomElement(using: &random) ?? nil,
            maxAge: some(0...9, &random), minFresh: some(0...9, &random),
            maxStale: some(0...9, &random), noCache: some(1...1, &random) != nil)
    }

    @Test(arguments: 1...6) func everyStoredResponseThatIsGivenWasAllowed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scheduler = ManualScheduler()
        let origin = Locked(Origin(random: SeededGenerator(seed: seed &* 977)))
        let current = Locked(CacheOracle.Asked(path: 0))
        let now = { @Sendable in Int(scheduler.now.offset.components.seconds) }
        let cache = HTTPCache(
            in: MemoryCacheStore(limit: 6_000), harmlessHeaders: ["X-Theme"],
            now: { Date(secondsSince1970: CacheBench.start + Int64(now())) }, on: scheduler)
        let service = cache.around { request in
            let asked = current.withLock { $0 }
            return Future(value: origin.withLock { $0.answer(asked, request, at: now()) })
        }
        var hits = 0
        for _ in 0..<300 {
            let asked = Self.asked(&random)
            current.withLock { $0 = asked }
            let (before, known) = origin.withLock { ($0.count, $0.answers) }
            let statistics = cache.statistics
            let url = URL(string: "https://example.com/\(asked.path)")!
            let response = try #require(
                service(HTTPRequest(.get, url, headers: asked.headers)).result
            ).get()
            let isHit = cache.statistics.hits > statistics.hits
            #expect(isHit || origin.withLock { $0.count } > before)
            if isHit {
                hits += 1
                let answer = try #require(known[response.text])
                let objection = CacheOracle.objection(answer, to: asked, at: now())
                #expect(objection == nil, "\(response.text) at \(now()): \(asked) \(answer)")
            }
            if Int.random(in: 0..<2, using: &random) == 0 {
                scheduler.advance(by: .seconds(Int.random(in: 0...4, using: &random)))
            }
        }
        // Enough of them that there was something to judge.
        #expect(hits > 30)
    }
}

extension HTTPCache {
    /// A service with this cache around it.
    func around(_ service: @escaping HTTPService) -> HTTPService {
        let layer = CacheLayer(self, over: service)
        return { layer.call($0) }
    }
}

/// An origin's answers in a random history, as numbers, and an independent judgement of their reuse: from the
/// numbers, not from headers.
struct CacheOracle {
    /// One answer of the origin.
    struct Answer: Sendable {
        var path: Int
        var body: String
        /// When it was sent by the origin, in seconds since the beginning, and its age at that time.
        var made: Int
        var age: Int
        var maxAge: Int?
        var expires: Int?
        var noStore = false
        var noCache = false
        var mustRevalidate = false
        var staleWhile: Int?
        var staleIf: Int?
        /// The values of the two fields that it may vary by; nil if it does not vary by them.
        var language: String??
        var theme: String??

        /// The corresponding headers.
        var headers: HTTPHeaders {
            var control: [String] = []
            if let maxAge { control.append("max-age=\(maxAge)") }
            if noStore { control.append("no-store") }
            if noCache { control.append("No-Cache") }
            if mustRevalidate { control.append("must-revalidate") }
            if let staleWhile { control.append("stale-while-revalidate=\(staleWhile)") }
            if let staleIf { control.append("stale-if-error=\"\(staleIf)\"") }
            var headers: HTTPHeaders = [
                "Date": CacheBench.date(made), "ETag": "\"\(path)-\(body)\"",
            ]
            if !control.isEmpty {
                headers.set(control.joined(separator: " , "), for: "Cache-Control")
            }
            if let expires { headers.set(CacheBench.date(expires), for: "Expires") }
            if age > 0 { headers.set("\(age)", for: "Age") }
            if language != nil { headers.add("Accept-Language", for: "Vary") }
            if theme != nil { headers.add("x-theme", for: "Vary") }
            return headers
        }

        /// The seconds for which it is still fresh; zero or less if it is stale.
        func remaining(at now: Int) -> Int {
            let lifetime = maxAge ?? expires.map { $0 - made } ?? 0
            return lifetime - (now - made + age)
        }
    }

    /// One request.
    struct Asked: Sendable {
        var path: Int
        var language: String?
        var theme: String?
        var maxAge: Int?
        var minFresh: Int?
        var maxStale: Int?
        var noCache = false

        var headers: HTTPHeaders {
            var control: [String] = []
            if let maxAge { control.append("max-age=\(maxAge)") }
            if let minFresh { control.append("min-fresh=\(minFresh)") }
            if let maxStale { control.append("max-stale=\(maxStale)") }
            if noCache { control.append("no-cache") }
            var headers: HTTPHeaders = [:]
            if !control.isEmpty { headers["Cache-Control"] = control.joined(separator: ",") }
            headers["accept-language"] = language
            headers["X-Theme"] = theme
            return headers
        }
    }

    /// Why an answer must not be used for a request without asking the origin; nil if it may be used.
    static func objection(_ answer: Answer, to asked: Asked, at now: Int) -> String? {
        if answer.path != asked.path { return "of another URL" }
        if let language = answer.language, language != asked.language {
            return "in another language"
        }
        if let theme = answer.theme, theme != asked.theme { return "of another theme" }
        if answer.noStore { return "no-store" }
        if answer.noCache || asked.noCache { return "not confirmed" }
        let remaining = answer.remaining(at: now)
        if let maxAge = asked.maxAge, now - answer.made + answer.age > maxAge { return "too old" }
        if let minFresh = asked.minFresh, remaining < minFresh {
            return "not fresh for long enough"
        }
        if remaining > 0 { return nil }
        if answer.mustRevalidate { return "stale, must-revalidate" }
        let allowed = max(asked.maxStale ?? 0, asked.maxAge == nil ? answer.staleWhile ?? 0 : 0)
        return -remaining > allowed ? "stale" : nil
    }
}
