import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit
@testable import PledgeObservation

@Suite struct HTTPRecorderTests {
    private let scheduler = ManualScheduler()
    private let url = URL(string: "https://a.example/p")!
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    private func recorder(limit: Int = 100) -> HTTPRecorder {
        HTTPRecorder(bodyLimit: limit, on: scheduler, startingAt: date, redact: nil)
    }

    private func response(_ text: String, _ type: String = "text/plain") -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": type], body: Data(text.utf8))
    }

    /// Records one exchange, and returns its entry.
    private func recorded(
        _ request: HTTPRequest, _ result: Result<HTTPResponse, any Error>, limit: Int = 100_000
    ) throws -> HTTPArchive.Entry {
        let recorder = recorder(limit: limit)
        let service: HTTPService = stack(
            .record(into: recorder), over: { _ in Future(result: result) })
        _ = service(request)
        return try #require(recorder.archive.entries.first)
    }

    @Test("an exchange is recorded with its headers, bodies, date and times")
    func anExchangeIsRecordedWithItsHeaders() throws {
        let (recorder, scheduler) = (recorder(), scheduler)
        let service: HTTPService = stack(
            .record(into: recorder),
            over: { [response = response("hello")] _ in
                var response = response
                response.timing.untilHeaders = .milliseconds(10)
                return Future(value: response).delay(.milliseconds(35), on: scheduler)
            })
        scheduler.advance(by: .seconds(2))
        _ = service(
            HTTPRequest(.post, url, body: .data(Data("ask".utf8), contentType: "text/plain")))
        #expect(recorder.archive.entries.isEmpty)
        scheduler.advance(by: .milliseconds(35))
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.startedAt == date.addingTimeInterval(2))
        #expect(entry.duration == .milliseconds(35))
        #expect(entry.request.body.data == Data("ask".utf8))
        #expect(entry.request.headers == ["Content-Type": "text/plain"])
        #expect(entry.response?.body == Data("hello".utf8))
        #expect(entry.response?.timing.untilHeaders == .milliseconds(10))
        #expect(entry.response?.timing.total == .milliseconds(35))
        #expect(try HTTPArchive(recorder.archive.encoded).entries == recorder.archive.entries)
    }

    @Test func aFailedExchangeIsRecordedWithItsCode() throws {
        let lost = try recorded(HTTPRequest(url), .failure(HTTPError(code: .connectionLost)))
        #expect(lost.response == nil && lost.failure == "connectionLost")
        let cancelled = try recorded(HTTPRequest(url), .failure(CancellationError()))
        #expect(cancelled.failure == "cancelled")
        let refused = HTTPError(code: .unacceptableStatus, response: HTTPResponse(status: 404))
        #expect(try recorded(HTTPRequest(url), .failure(refused)).response?.status == 404)
    }

    @Test("a body larger than the bound is left out with a comment, and isn't held")
    func aBodyLargerThanTheBoundIsLeftOutWithAComment() throws {
        let request = HTTPRequest(.post, url, body: .data(Data(count: 11)))
        let large = try recorded(request, .success(response("12345678901")), limit: 10)
        #expect(large.response?.body == Data() && large.request.body.isEmpty)
        #expect(large.missingResponseBody == "11 bytes, left out")
        let text = String(decoding: HTTPArchive(entries: [large]).encoded, as: UTF8.self)
        #expect(text.contains(#""comment": "11 bytes, left out""#))
        #expect(text.contains(#""comment": "11 bytes of application/octet-stream, left out""#))
        let fitting = try recorded(HTTPRequest(url), .success(response("1234567890")), limit: 10)
        #expect(fitting.response?.body.count == 10 && fitting.missingResponseBody == nil)
    }

    @Test("a stream is recorded while it passes, without reading ahead")
    func aStreamIsRecordedWhileItPasses() throws {
        let (recorder, source) = (recorder(limit: 5), ScriptedSource())
        let service: HTTPStreamingService = stack(
            .record(into: recorder),
            over: { _ in Future(value: HTTPStreamedResponse(status: 200, body: source.stream())) })
        let body = try #require(service(HTTPRequest(url)).success?.body)
        #expect(source.asked == 0)
        let first = body.next()
        #expect(source.asked == 1 && first.result == nil)
        source.give("abc")
        #expect(first.success == Data("abc".utf8))
        #expect(source.asked == 1 && recorder.archive.entries.isEmpty)
        scheduler.advance(by: .milliseconds(7))
        let end = body.next()
        source.give(nil)
        #expect(end.success == .some(nil))
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.response?.body == Data("abc".utf8))
        #expect(entry.response?.timing.untilHeaders == .zero && entry.duration == .milliseconds(7))
    }

    @Test("cancelling a recorded stream cancels it, and keeps what had passed")
    func cancellingARecordedStreamCancelsIt() throws {
        let (recorder, source) = (recorder(), ScriptedSource())
        let service: HTTPStreamingService = stack(
            .record(into: recorder),
            over: { _ in Future(value: HTTPStreamedResponse(status: 200, body: source.stream())) })
        let body = try #require(service(HTTPRequest(url)).success?.body)
        _ = body.next()
        source.give("abc")
        body.cancel()
        #expect(source.cancelled == 1)
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.failure == "cancelled" && entry.response?.body == Data("abc".utf8))
        #expect(recorder.archive.entries.count == 1)
    }

    @Test("a stream larger than the bound is passed on whole, and left out of the recording")
    func aStreamLargerThanTheBoundIsPassedOnWhole() async throws {
        let recorder = recorder(limit: 10)
        let service: HTTPStreamingService = stack(
            .record(into: recorder),
            over: { _ in
                Future(
                    value: HTTPStreamedResponse(
                        status: 200, body: HTTPBodyStream(Data(count: 1000))))
            })
        let all = try await service(HTTPRequest(url)).soon.body.collected(upTo: .max).soon
        #expect(all.count == 1000)
        let entry = try #require(recorder.archive.entries.first)
        #expect(
            entry.missingResponseBody == "1000 bytes, left out" && entry.response?.body == Data())
    }

    @Test("exchanges of many threads are all kept, in the order in which they began")
    func exchangesOfManyThreadsAreAllKept() async throws {
        let recorder = recorder()
        let waiting = Locked<[Promise<HTTPResponse>]>([])
        let service: HTTPService = stack(
            .record(into: recorder),
            over: { request in
                guard request.url.path == "/wait" else {
                    return Future(value: HTTPResponse(status: 200))
                }
                let promise = Promise<HTTPResponse>()
                waiting.withLock { $0.append(promise) }
                return promise
            })
        let first = service(HTTPRequest(URL(string: "https://a.example/wait")!))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { [url] in
                    _ = service(HTTPRequest(url.appendingPathComponent("\(number)")))
                }
            }
        }
        waiting.withLock { $0.first }?.resolve(with: HTTPResponse(status: 204))
        _ = try await first.soon
        let entries = recorder.archive.entries
        #expect(entries.count == 201)
        #expect(entries.first?.response?.status == 204)
        #expect(Set(entries.map(\.request.url)).count == 201)
    }

    @Test func theCallerRedactsMoreOrLeavesAnExchangeOut() {
        let recorder = HTTPRecorder { entry in
            if entry.request.url.path == "/health" { return nil }
            var entry = entry
            entry.response?.body = Data("private".utf8)
            return entry
        }
        let service: HTTPService = stack(
            .record(into: recorder), over: { _ in Future(value: HTTPResponse(status: 200)) })
        _ = service(HTTPRequest(URL(string: "https://a.example/health")!))
        _ = service(HTTPRequest(url))
        #expect(recorder.archive.entries.map(\.request.url) == [url])
        #expect(recorder.archive.entries.first?.response?.body == Data("private".utf8))
    }

    @Test("a call settles before its secrets are looked for, the archive after")
    func aCallSettlesBeforeItsSecretsAreLookedFor() throws {
        let (gate, redacted) = (DispatchSemaphore(value: 0), Locked(0))
        let recorder = HTTPRecorder { entry in
            gate.wait()
            redacted.withLock { $0 += 1 }
            return entry
        }
        let service: HTTPService = stack(
            .record(into: recorder), over: { _ in Future(value: HTTPResponse(status: 200)) })
        let calls = (1...3).map { _ in service(HTTPRequest(url)) }
        #expect(calls.allSatisfy { $0.success?.status == 200 })
        #expect(redacted.withLock { $0 } == 0)
        for _ in calls { gate.signal() }
        #expect(recorder.archive.entries.count == 3)
        #expect(redacted.withLock { $0 } == 3)
    }

    @Test func aClosureThatRedactsMayReadTheArchiveAsItWasBefore() {
        let (read, box) = (Locked<[Int]>([]), Locked<HTTPRecorder?>(nil))
        let recorder = HTTPRecorder { entry in
            let count = box.withLock { $0 }?.archive.entries.count ?? -1
            read.withLock { $0.append(count) }
            return entry
        }
        box.withLock { $0 = recorder }
        let service: HTTPService = stack(
            .record(into: recorder), over: { _ in Future(value: HTTPResponse(status: 200)) })
        for _ in 1...3 { _ = service(HTTPRequest(url)) }
        #expect(recorder.archive.entries.count == 3)
        #expect(read.withLock { $0 } == [0, 1, 2])
        box.withLock { $0 = nil }
    }

    @Test("while 32 MiB of bodies wait, bodies are left out with a comment; then they're kept")
    func bodiesThatWaitAreBounded() {
        let (gate, large) = (DispatchSemaphore(value: 0), 17 << 20)
        let recorder = HTTPRecorder(bodyLimit: large) { entry in
            gate.wait()
            return entry
        }
        let service: HTTPService = stack(
            .record(into: recorder),
            over: { _ in Future(value: HTTPResponse(status: 200, body: Data(count: large))) })
        for _ in 1...2 { _ = service(HTTPRequest(url)) }
        for _ in 1...3 { gate.signal() }
        let waited = recorder.archive.entries
        #expect(waited.map { $0.response?.body.count } == [large, 0])
        #expect(
            waited.last?.missingResponseBody
                == "17825792 bytes, left out, because the recorder was still redacting others")
        _ = service(HTTPRequest(url))
        #expect(recorder.archive.entries.last?.response?.body.count == large)
    }

    @Test("a recorder that is full leaves exchanges out, and the last entry says how many")
    func aFullRecorderLeavesExchangesOut() {
        let recorder = HTTPRecorder(totalLimit: 2_500)
        let service: HTTPService = stack(
            .record(into: recorder), over: { _ in Future(value: HTTPResponse(status: 200)) })
        for _ in 1...5 { _ = service(HTTPRequest(url)) }
        let entries = recorder.archive.entries
        #expect(
            entries.map(\.comment) == [nil, "the recorder was full, and left out 3 exchanges"])
    }

    @Test func filesStreamsAndBodiesOfSeveralPartsAreLeftOut() throws {
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data()) }
        let streamed = try recorded(
            HTTPRequest(.post, url, body: .stream(source)), .success(response("")))
        #expect(streamed.missingRequestBody == "a stream of application/octet-stream, left out")
        let parts = try recorded(
            HTTPRequest(
                .post, url, body: .data(Data("s3cret".utf8), contentType: "multipart/form-data")),
            .success(response("")))
        #expect(parts.request.body.isEmpty && parts.missingRequestBody != nil)
        let coded = HTTPResponse(
            status: 206, headers: ["Content-Encoding": "gzip"], body: Data("s3cret".utf8))
        #expect(try recorded(HTTPRequest(url), .success(coded)).response?.body == Data())
    }
}

/// What a recording hides, and what it keeps.
@Suite struct ArchiveRedactionTests {
    private func redacted(
        url: String = "https://a.example/", headers: HTTPHeaders = [:], body: String = "",
        type: String = "", answer: String = "", answerType: String = "",
        answerHeaders: HTTPHeaders = [:]
    ) -> (request: HTTPRequest, response: HTTPResponse) {
        var own = answerHeaders
        if !answerType.isEmpty { own.set(answerType, for: "Content-Type") }
        let entry = ArchiveRedaction.redacted(
            HTTPArchive.Entry(
                HTTPRequest(
                    .post, URL(string: url)!, headers: headers,
                    body: .data(Data(body.utf8), contentType: type)),
                HTTPResponse(status: 200, headers: own, body: Data(answer.utf8))))
        return (entry.request, entry.response ?? HTTPResponse(status: 0))
    }

    /// Returns the recorded entry of an exchange with a token in the header.
    private func entry(
        answer: [UInt8], type: String = "", failure: String? = nil
    ) -> HTTPArchive.Entry {
        ArchiveRedaction.redacted(
            HTTPArchive.Entry(
                HTTPRequest(
                    .get, URL(string: "https://a.example/")!,
                    headers: ["Authorization": "Bearer s3cret-one"]),
                HTTPResponse(
                    status: 200, headers: ["Content-Type": type], body: Data(answer)),
                failure: failure))
    }

    private func body(_ request: HTTPRequest) -> String {
        String(decoding: request.body.data ?? Data(), as: UTF8.self)
    }

    @Test func jsonInAFieldOfPledgesOwnFormsLosesItsSecretsEverywhere() {
        let form = HTTPRequest.Body.form(["payload": #"{"a": 1, "token": "SECRETabc123XYZ"}"#])
        let sent = String(decoding: form.data ?? Data(), as: UTF8.self)
        let kept = redacted(
            url: "https://a.example/?\(sent)", headers: ["X-Info": sent], body: sent,
            type: "application/x-www-form-urlencoded", answer: "SECRETabc123XYZ is old",
            answerType: "text/plain")
        #expect(sent.contains("+"))
        let shown = sent.replacing("SECRETabc123XYZ", with: "REDACTED")
        #expect(body(kept.request) == shown)
        #expect(kept.request.headers["X-Info"] == shown)
        #expect(kept.request.url.absoluteString == "https://a.example/?\(shown)")
        #expect(kept.response.body == Data("REDACTED is old".utf8))
    }

    @Test(arguments: [
        ("Stripe-Account", "acct_1032D82eZvKYlo2C"),
        ("X-Served-By", "cache-fra-eddf8230085-FRA"),
        ("Idempotency-Key", "5f0c1d2e-4a3b-4c5d-a6e7-0123456789ab"),
        ("x-amz-version-id", "3HL4kqtJvjVBH40Nrjfkd"), ("CF-Ray", "230b030023ae2822-SJC"),
        ("X-Trace-Id", "0af7651916cd43dd8448eb211c80319c"),
        ("X-Amzn-Trace-Id", "Root=1-5759e988-bd862e3fe1be46a994272793"),
    ])
    func headersThatNameATraceAnAccountOrAServerStay(name: String, value: String) {
        let kept = redacted(headers: [name: value], answerHeaders: [name: value])
        #expect(kept.request.headers[name] == value && kept.response.headers[name] == value)
        let secret = redacted(headers: ["X-Session-Id": value, "X-Auth-Id": value]).request.headers
        #expect(secret["X-Session-Id"] == "REDACTED" && secret["X-Auth-Id"] == "REDACTED")
    }

    @Test("identifiers and dates that repeat a part of a secret stay; parts in texts don't")
    func identifiersThatRepeatPartOfASecretStay() {
        let answer = #"""
            {"id": "pi_3MtwBwLkdIwHu7ix28a3tqPa", "latest_charge": "ch_3MtwBwLkdIwHu7ix2hZSJY9B",
            "client_secret": "CLIENT", "payment": "pi_3MtwBwLkdIwHu7ix28a3tqPa",
            "message": "no pi_3MtwBwLkdIwHu7ix28 in pi_3MtwBwLkdIwHu7****", "masked": "pi_3MtwBwLkdIwHu7xxxx",
            "other_id": "CLIENT", "hint": "pi_3MtwBwLkdIwHu7ix", "cut_id": "pi_3MtwBwLkdIwHu7\u0069x28a3tqPa"}
            """#
        let secret = "pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH"
        let url = "https://a.example/pi_3MtwBwLkdIwHu7ix28a3tqPa?client_secret=\(secret)&expand=a"
        let kept = redacted(
            url: url, answer: answer.replacing("CLIENT", with: secret),
            answerType: "application/json")
        #expect(
            String(decoding: kept.response.body, as: UTF8.self) == #"""
                {"id": "pi_3MtwBwLkdIwHu7ix28a3tqPa", "latest_charge": "ch_3MtwBwLkdIwHu7ix2hZSJY9B",
                "client_secret": "REDACTED", "payment": "pi_3MtwBwLkdIwHu7ix28a3tqPa",
                "message": "no REDACTED in REDACTED****", "masked": "REDACTEDxxxx",
                "other_id": "REDACTED", "hint": "REDACTED", "cut_id": "REDACTED"}
                """#)
        #expect(
            kept.request.url.absoluteString == url.replacing(secret, with: "REDACTED"))
        let amazon = redacted(
            url:
                "https://a.example/?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20300101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20300101T000000Z"
        ).request.url
        #expect(
            amazon.absoluteString
                == "https://a.example/?X-Amz-Credential=REDACTED&X-Amz-Date=20300101T000000Z")
    }

    @Test("userinfo, and items of queries with secrets' names, are replaced; others are kept")
    func secretsInURLsAreReplaced() {
        let url = redacted(
            url:
                "https://me:pw0rd@a.example/p?page=2&api_key=abc1&sig=xyz2&X-Amz-Signature=q#token=f"
        ).request.url
        #expect(
            url.absoluteString
                == "https://REDACTED@a.example/p?page=2&api_key=REDACTED&sig=REDACTED&X-Amz-Signature=REDACTED"
        )
    }

    @Test(
        "an item begins behind \"&\", \";\" or \"?\", and one without \"=\" may be a token",
        arguments: [
            ("a=1;token=s3cret;b&c=2", "a=1;token=REDACTED&c=2"),
            ("a=/b?token=s3cret&c=2", "a=/b?token=REDACTED&c=2"), ("token=&a", "token=&a"),
            ("eyJhbGci.eyJzdWIi.c2ln&a=1", "REDACTED&a=1"), ("token;a=1", "token;a=1"),
        ])
    func anItemMayBeATokenWithoutAName(query: String, shown: String) {
        let url = redacted(url: "https://a.example/?\(query)").request.url
        #expect(url.absoluteString == "https://a.example/?\(shown)")
        let form = redacted(body: query, type: "application/x-www-form-urlencoded").request
        #expect(body(form) == shown)
    }

    @Test(
        "a URL in a header, a string of JSON or a text loses userinfo and secret items",
        arguments: [
            (
                "0; url=https://a.example/?access_token=s3cret&b=1",
                "0; url=https://a.example/?access_token=REDACTED&b=1"
            ),
            ("https://bob:s3cret@a.example/op", "https://REDACTED@a.example/op"),
            (
                "<https://b:s3cret@a.example/?key=s3cret#c>; rel='next'",
                "<https://REDACTED@a.example/?key=REDACTED#c>; rel='next'"
            ),
            (
                "see 'https://a.example/?sig=s3cret' or https://b.example/?b=1&key=s3cret .",
                "see 'https://a.example/?sig=REDACTED' or https://b.example/?b=1&key=REDACTED ."
            ),
            (
                "https://a.example/?b=https://c:s3cret@d.example/#sid=s3cret",
                "https://a.example/?b=https://REDACTED@d.example/#sid=REDACTED"
            ),
            ("https://a.example/@bob?b=@c", "https://a.example/@bob?b=@c"),
            ("a:b@c.example/?key=d //e@f", "a:b@c.example/?key=d //e@f"),
        ])
    func aURLInATextLosesItsSecrets(text: String, shown: String) {
        let escaped = text.replacing("/", with: #"\/"#).replacing("&", with: #"\u0026"#)
        let response = redacted(
            answer: #"{"a":"\#(escaped)"}"#, answerHeaders: ["Operation-Location": text]
        ).response
        #expect(response.headers["Operation-Location"] == shown)
        #expect(
            response.text
                == #"{"a":"\#(shown.replacing("/", with: #"\/"#).replacing("&", with: #"\u0026"#))"}"#
        )
        #expect(redacted(answer: text, answerType: "text/plain").response.text == shown)
    }

    @Test func theRelativeURLsOfLinkAndRefreshAreSearchedToo() {
        let headers = redacted(
            answerHeaders: [
                "Link": "</a?key=s3cret>; rel=next, <//b:s3cret@c/>",
                "Refresh": "0; url=/?sig=s3cret",
            ]
        ).response.headers
        #expect(headers["Link"] == "</a?key=REDACTED>; rel=next, <//REDACTED@c/>")
        #expect(headers["Refresh"] == "0; url=/?sig=REDACTED")
    }

    @Test("credentials, cookies and keys in headers are replaced; others are kept")
    func secretsInHeadersAreReplaced() {
        let (request, response) = redacted(
            headers: [
                "Authorization": "Bearer s3cret-one", "Proxy-Authorization": "Basic czNjcmV0",
                "Cookie": "a=s3cret-two; b=s3cret-three", "X-Api-Key": "s3cret-four",
                "Ocp-Apim-Subscription-Key": "s3cret5",
                "X-Trace": "0123456789abcdef0123456789abcdef",
                "X-App": "shop", "Accept": "text/html",
                "Referer": "https://b.example/?token=s3cret6",
            ],
            answerHeaders: [
                "Set-Cookie": "sid=s3cret-seven; Path=/; HttpOnly", "X-Total-Count": "7",
                "Location": "/next?access_token=s3cret8&page=2",
                "WWW-Authenticate": "Digest nonce=\"1\"",
                "Link": "</p?token=s3cret9>; rel=\"next\"",
                "Access-Control-Allow-Credentials": "true",
            ])
        #expect(
            request.headers == [
                "Authorization": "Bearer REDACTED", "Proxy-Authorization": "Basic REDACTED",
                "Cookie": "a=REDACTED; b=REDACTED", "X-Api-Key": "REDACTED",
                "Ocp-Apim-Subscription-Key": "REDACTED", "X-Trace": "REDACTED", "X-App": "shop",
                "Accept": "text/html", "Referer": "https://b.example/?token=REDACTED",
            ])
        #expect(
            response.headers == [
                "Set-Cookie": "sid=REDACTED; Path=/; HttpOnly", "X-Total-Count": "7",
                "Location": "/next?access_token=REDACTED&page=2",
                "WWW-Authenticate": "Digest nonce=\"1\"",
                "Link": "</p?token=REDACTED>; rel=\"next\"",
                "Access-Control-Allow-Credentials": "true",
            ])
    }

    @Test func eachWordOfAHeadersNameMayAnnounceASecret() {
        let names = ["X-GitHub-OTP", "OK-ACCESS-PASSPHRASE", "X-Pin", "X-SID", "x_pass"]
        let kept = ["X-Country-Code", "X-Passenger", "X-Spinner", "X-Reside", "Compass"]
        let headers = redacted(
            headers: HTTPHeaders((names + kept).map { ($0, "s3cret") }),
            answerHeaders: HTTPHeaders(kept.map { ($0, "other") })
        )
        for name in names { #expect(headers.request.headers[name] == "REDACTED", "\(name)") }
        for name in kept { #expect(headers.response.headers[name] == "other", "\(name)") }
    }

    @Test(arguments: [
        ("a=s3; Path=/, sid=s3; HttpOnly", "a=REDACTED; Path=/, sid=REDACTED; HttpOnly"),
        (
            "a=s3; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=s3",
            "a=REDACTED; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=REDACTED"
        ),
        ("a=s3, b=s3,s3; Secure", "a=REDACTED, b=REDACTED; Secure"),
        ("s3", "REDACTED"), ("a=; Path=/", "a=; Path=/"), ("a=s3=s3", "a=REDACTED"),
    ])
    func theValuesOfJoinedSetCookieHeadersAreReplaced(header: String, shown: String) {
        let response = redacted(answerHeaders: ["Set-Cookie": header]).response
        #expect(response.headers["Set-Cookie"] == shown)
    }

    @Test func theTypeOfABodyLosesSecretsLikeTheHeader() {
        let request = redacted(
            headers: ["Authorization": "Bearer s3cret-one"], body: "a", type: "a/b; c=s3cret-one"
        ).request
        #expect(request.body.contentType == "a/b; c=REDACTED")
    }

    @Test func aDelimiterBeforeACombiningMarkIsStillADelimiter() {
        let form = redacted(
            body: "a=1&\u{301}token=s3cret1&sid=\u{301}s3cret2",
            type: "application/x-www-form-urlencoded")
        #expect(body(form.request) == "a=1&\u{301}token=REDACTED&sid=REDACTED")
        let answer = redacted(
            answerHeaders: [
                "Set-Cookie": "a=\u{301}s3cret3;\u{301} Path=/",
                "Location": "https://me:pw0rd@\u{301}b.example/\u{301}?\u{301}a=1&token=s3cret4",
            ])
        #expect(
            answer.response.headers == [
                "Set-Cookie": "a=REDACTED;\u{301} Path=/",
                "Location": "https://REDACTED@\u{301}b.example/\u{301}?\u{301}a=1&token=REDACTED",
            ])
    }

    @Test("members of JSON with secrets' names are replaced, and the rest stays as it was")
    func membersOfJSONWithSecretsNamesAreReplaced() {
        let answer = redacted(
            answer:
                #"{"user": "ann", "passWord": "s3cret", "n": 1.50, "usage": {"max_tokens": 12}, "#
                + #""tokens": ["a1", {"x": "b2"}], "token_type": "Bearer", "expires_in": 60, "pin": 1234, "#
                + #""url": "https://a/?x=1&token=s3cret\u0026y", "id": "eyJhbGci.eyJzdWIi.c2ln"}"#,
            answerType: "application/json"
        ).response.text
        #expect(
            answer
                == #"{"user": "ann", "passWord": "REDACTED", "n": 1.50, "usage": {"max_tokens": 12}, "#
                + #""tokens": ["REDACTED", {"x": "REDACTED"}], "token_type": "Bearer", "expires_in": 60, "pin": 0, "#
                + #""url": "https://a/?x=1&token=REDACTED\u0026y", "id": "REDACTED"}"#)
        #expect(
            body(redacted(body: #"{"pin": 1234}"#, type: "application/json").request)
                == #"{"pin": "REDACTED"}"#)
    }

    @Test("secrets in forms, lines of JSON, events and XML elements are replaced")
    func secretsInOtherTextsAreReplaced() {
        let form = redacted(
            body: "user=ann&password=s3cret&code_verifier=abc",
            type: "application/x-www-form-urlencoded")
        #expect(body(form.request) == "user=ann&password=REDACTED&code_verifier=REDACTED")
        let lines = redacted(
            answer: "{\"token\":\"s3cret\"}\n{\"a\":1}\n", answerType: "application/x-ndjson")
        #expect(lines.response.text == "{\"token\":\"REDACTED\"}\n{\"a\":1}\n")
        let events = redacted(
            answer: "id: 1\ndata: {\"secret\":\"s3cret\",\"a\":1}\n\n",
            answerType: "text/event-stream")
        #expect(events.response.text == "id: 1\ndata: {\"secret\":\"REDACTED\",\"a\":1}\n\n")
        let cut = redacted(answer: #"{"a": 1, "token": "s3cr"#, answerType: "application/json")
        #expect(!cut.response.text.contains("s3cr"))
        let xml = redacted(
            answer: "<a><s:password>s3cret</s:password><b>c</b></a>", answerType: "text/xml")
        #expect(xml.response.text == "<a><s:password>REDACTED</s:password><b>c</b></a>")
    }

    @Test(
        "JSON that breaks off within a secret hides the rest, and otherwise stays as far as it is JSON",
        arguments: [
            (#"{"session":{"id":"s3cret"#, #"{"session":{"id":"REDACTED"#),
            (#"{"tokens":["s3cret-1","s3cret-2"#, #"{"tokens":["REDACTED","REDACTED"#),
            (#"{"pin":"49182"#, #"{"pin":"REDACTED"#), (#"{"pin":49182"#, #"{"pin":0"#),
            (#"{"token":s3cret, "a":1}"#, #"{"token":REDACTED"#),
            (#"{"id":"eyJhbGci.eyJzdWIi.c2"#, #"{"id":"REDACTED"#),
            (
                #"{"session":{"id":"s3cret"},"a":[1,"pas"#,
                #"{"session":{"id":"REDACTED"},"a":[1,"pas"#
            ),
            (#"{"session":{"id":"s3cret"},"a":NaN}"#, #"{"session":{"id":"REDACTED"},"a":NaN}"#),
            (#"{"max_tokens":NaN,"a":"b"}"#, #"{"max_tokens":REDACTED,"a":"b"}"#),
            (#"["password": "s3cret", "a": "b"]"#, #"["password": "REDACTED", "a": "b"]"#),
            (
                "data: {\"session\":{\"id\":\"s3cret\"}}\n\ndata: token=s3cret",
                "data: {\"session\":{\"id\":\"REDACTED\"}}\n\ndata: token=REDACTED"
            ),
            (
                "{\"session\":{\"id\":\"s3cret\"}}\nend: token=s3cret",
                "{\"session\":{\"id\":\"REDACTED\"}}\nend: token=REDACTED"
            ),
        ])
    func brokenJSONHidesTheRestOfASecret(text: String, shown: String) {
        #expect(redacted(answer: text, answerType: "application/json").response.text == shown)
    }

    @Test func jsonBehindAByteOrderMarkIsJSONAndKeepsTheMark() {
        let answer = redacted(answer: "\u{FEFF}{\"session\":{\"id\":\"s3cret\"},\"pin\":1234}")
        #expect(
            Array(answer.response.body)
                == Array("\u{FEFF}{\"session\":{\"id\":\"REDACTED\"},\"pin\":0}".utf8))
        // A number in place of which a text would break the JSON, as without the mark.
        let number = redacted(headers: ["X-Api-Key": "123456"], answer: "\u{FEFF}{\"a\":123456}")
        #expect(number.response.body.isEmpty)
    }

    @Test func theEscapesInAStringOfJSONStayWholeAroundASecret() {
        let answer = redacted(
            answer: #"{"a":"token=s3cret\nb","c":"{\"token\":\"s3cret\",\"e\":1}"}"#)
        #expect(
            answer.response.text
                == #"{"a":"token=REDACTED\nb","c":"{\"token\":\"REDACTED\",\"e\":1}"}"#)
    }

    @Test func aSecretWithinJSONInAStringDoesNotEndAtAnEscapedQuote() {
        for secret in [#"x\\\"zq7X"#, #"x\\\\"#] {
            let text = #"{"c":"{\"password\":\"SECRET\",\"e\":1}"}"#
            let answer = redacted(answer: text.replacing("SECRET", with: secret))
            #expect(answer.response.text == text.replacing("SECRET", with: "REDACTED"))
        }
    }

    @Test(arguments: [
        #"<password xmlns="urn:x">SECRET</password><b>c</b>"#,
        #"<w:Password Type="http://a.example/a-name-longer-than-others#Text">SECRET</w:Password>"#,
        "<password><![CDATA[SECRET]]></password><b>c</b>",
        "<password><!--SECRET--></password><b>c</b>",
        "<password><value>SECRET</value>\n<value>SECRET</value></password><b>c</b>",
        "<password><password>SECRET</password>SECRET</password><b>c</b>",
        "<password>SECRET<b>c</b>", "<password/><b>c</b>", "<b>c</b><password>SECRET",
        "a < b > c <b>c</b><!-- d --><![CDATA[e]]>",
        "<d><![CDATA[<l><password>SECRET</password></l>]]></d>",
        "<!-- <password>SECRET</password> -->", "a < b <token>SECRET</token>",
        "x<5 <token>SECRET</token>", "<!-- a <password>SECRET</password>",
        "<![CDATA[ a <password>SECRET</password>",
        "<password><![CDATA[</password>SECRET]]></password><b>c</b>",
    ])
    func theTextInAnXMLElementWithASecretsNameIsReplaced(text: String) {
        let answer = text.replacing("SECRET", with: "s3cret")
        let shown = redacted(answer: answer, answerType: "text/xml").response.text
        #expect(shown == text.replacing("SECRET", with: "REDACTED"))
    }

    @Test func inATextThatWasCutWithinACharacterSecretsAreReplaced() {
        let text = "data: {\"token\":\"s3cret-two\",\"a\":\"s3cret-one\"}\n\ndata: {\"a\":\"caf"
        let cut = entry(
            answer: text.utf8 + [0xC3], type: "text/event-stream", failure: "cancelled")
        #expect(
            cut.response?.text
                == "data: {\"token\":\"REDACTED\",\"a\":\"REDACTED\"}\n\ndata: {\"a\":\"caf")
    }

    @Test(
        "text that isn't UTF-8 is left out, and so are other bytes with a secret; others are kept"
    )
    func bytesWithASecretAreLeftOut() {
        for type in ["text/plain; charset=latin1", "application/a+json", "application/xml"] {
            let text = entry(answer: [0x63, 0xE9], type: type)
            #expect(text.response?.body == Data(), "\(type)")
            #expect(text.missingResponseBody == "2 bytes of text that isn't UTF-8", "\(type)")
        }
        #expect(entry(answer: [0x63, 0], type: "text/plain").missingResponseBody != nil)
        let secret = entry(answer: "s3cret-one".utf8 + [0xFF])
        #expect(secret.missingResponseBody == "11 bytes that aren't text, with a secret")
        for type in ["", "image/png", "application/vnd.openxmlformats-officedocument.a"] {
            let kept = entry(answer: [0x63, 0xE9], type: type)
            #expect(kept.response?.body == Data([0x63, 0xE9]), "\(type)")
            #expect(kept.missingResponseBody == nil, "\(type)")
        }
    }

    @Test("a secret is replaced wherever the exchange repeats it, and JSON stays JSON")
    func aSecretIsReplacedWhereverTheExchangeRepeatsIt() {
        let (request, response) = redacted(
            url: "https://a.example/bot-s3cret-one/send",
            headers: ["Authorization": "Bearer s3cret-one"],
            answer: #"{"echo": "you sent s3cret-one", "ok": true}"#, answerType: "application/json",
            answerHeaders: ["X-Echo": "s3cret-one"])
        #expect(request.url.path == "/bot-REDACTED/send")
        #expect(response.text == #"{"echo": "you sent REDACTED", "ok": true}"#)
        #expect(response.headers["X-Echo"] == "REDACTED")
        let number = redacted(
            headers: ["X-Api-Key": "123456"], answer: #"{"key": 123456}"#,
            answerType: "application/json")
        #expect(number.response.body.isEmpty)
    }

    @Test(
        "a secret that is the same word as the host leaves the host, so that a replay finds it")
    func aSecretThatIsTheHostsWordLeavesTheHost() {
        let (request, response) = redacted(
            url: "https://news.example.com:8080/news/8080?token=8080",
            headers: ["Cookie": "tenant=news", "Referer": "https://news.example.com/news"],
            answer: "news", answerHeaders: ["Location": "https://news.example.com:8080/a/news"])
        #expect(
            request.url.absoluteString
                == "https://news.example.com:8080/REDACTED/REDACTED?token=REDACTED")
        #expect(request.headers["Referer"] == "https://news.example.com/REDACTED")
        #expect(response.headers["Location"] == "https://news.example.com:8080/a/REDACTED")
        #expect(response.text == "REDACTED")
    }

    @Test func aSecretThatIsTheSameWordAsANameLeavesTheNames() {
        let (request, response) = redacted(
            url: "https://a.example/page?token=page&page=2&q=page",
            body: #"{"page": "page", "a": {"page":1}, "b": "{\"page\":\"page\"}"}"#,
            type: "application/json", answer: "page=1&a=page&page=2",
            answerType: "application/x-www-form-urlencoded")
        #expect(
            request.url.absoluteString
                == "https://a.example/REDACTED?token=REDACTED&page=2&q=REDACTED")
        #expect(
            body(request)
                == #"{"page": "REDACTED", "a": {"page":1}, "b": "{\"page\":\"REDACTED\"}"}"#)
        #expect(response.text == "page=1&a=REDACTED&page=2")
    }

    @Test("a name that repeats a secret with a digit is replaced, and so is a word in quotes")
    func aNameThatRepeatsASecretWithADigitIsReplaced() {
        let answer = redacted(
            url: "https://a.example/?token=s3cret&key=hunter", answer: #"{"s3cret": 1}"#,
            answerHeaders: ["X-A": #"the key "hunter": unknown"#])
        #expect(answer.response.text == #"{"REDACTED": 1}"#)
        #expect(answer.response.headers["X-A"] == #"the key "REDACTED": unknown"#)
    }

    @Test func aSecretThatIsAWordForSecretsIsReplacedOnlyInItsPlace() {
        let (request, response) = redacted(
            body: #"{"user": "ann", "password": "password"}"#, type: "application/json",
            answer: #"{"token": "Token", "a": "the password, or a token"}"#,
            answerType: "application/json",
            answerHeaders: ["Set-Cookie": "session=secret; a=secret"])
        #expect(body(request) == #"{"user": "ann", "password": "REDACTED"}"#)
        #expect(response.text == #"{"token": "REDACTED", "a": "the password, or a token"}"#)
        #expect(response.headers["Set-Cookie"] == "session=REDACTED; a=secret")
    }

    @Test(arguments: [
        (
            "https://host.example?x=s3cret-1&next=/home",
            "https://host.example?x=REDACTED&next=/home"
        ),
        ("login?t=s3cret-1&next=https://app/x", "login?t=REDACTED&next=https://app/x"),
        ("//s3cret-1/s3cret-1", "//s3cret-1/REDACTED"),
        ("https://s3cret-1", "https://s3cret-1"),
        ("/s3cret-1", "/REDACTED"), ("s3cret-1//s3cret-1/a/b", "REDACTED//REDACTED/a/b"),
    ])
    func onlyAHostIsTakenForAHost(location: String, shown: String) {
        let (_, response) = redacted(
            headers: ["Authorization": "Bearer s3cret-1"], answerHeaders: ["Location": location])
        #expect(response.headers["Location"] == shown)
    }
}
