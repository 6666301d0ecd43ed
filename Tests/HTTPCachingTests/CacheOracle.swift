import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking

@testable import PledgeHTTPCaching

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
