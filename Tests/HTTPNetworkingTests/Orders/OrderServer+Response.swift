import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import TestSupport

extension OrderServer {
    /// The answer to a request.
    ///
    /// - Parameter text: The whole request, which the server may repeat.
    func result(
        _ answer: OrderAnswer, _ request: HTTPRequest, _ text: String
    ) -> Result<HTTPResponse, any Error> {
        switch answer {
        case .unreachable: .failure(error(.cannotConnect, request))
        case .lost: .failure(error(.connectionLost, request))
        case .cutShort:
            .failure(error(.badResponse, request, echo(200, request, text)))
        case .status(200, _) where request.url == Self.tokenURL: .success(grant(request))
        case .status(let status, let delay):
            .success(echo(status, request, text, retryAfter: delay))
        case .redirect(let status, let isOther): .success(redirect(status, isOther, request))
        case .cacheable: .success(cacheable(request, text))
        case .compressed(let isCutShort):
            .success(
                response(
                    200, ["Content-Type": "text/plain", "Content-Encoding": "gzip"],
                    isCutShort ? Compressed.gzip.dropLast(9) : Compressed.gzip, request))
        }
    }

    private func error(
        _ code: HTTPError.Code, _ request: HTTPRequest, _ response: HTTPResponse? = nil
    ) -> any Error {
        if isTransport { return HTTPError(code: code, request: request, response: response) }
        return HTTPError(code: code, response: response)
    }

    private func response(
        _ status: Int, _ headers: HTTPHeaders, _ body: Data, _ request: HTTPRequest
    ) -> HTTPResponse {
        let body = request.method == .head || status == 204 || status == 304 ? Data() : body
        guard isTransport else { return HTTPResponse(status: status, headers: headers, body: body) }
        return HTTPResponse(
            status: status, headers: headers, body: body, url: request.url, request: request)
    }

    /// Repeats the request, in the body and in headers.
    private func echo(
        _ status: Int, _ request: HTTPRequest, _ text: String, retryAfter: Int? = nil
    ) -> HTTPResponse {
        let kind = state.withLock { Int.random(in: 0..<4, using: &$0.dice) }
        var headers: HTTPHeaders = ["X-Echo": request.headers["Authorization"] ?? "nobody"]
        if let retryAfter { headers.set("\(retryAfter)", for: "Retry-After") }
        let body: Data
        switch kind {
        case 0:
            headers.set("application/json", for: "Content-Type")
            body = (try? JSONEncoder().encode(["error": "bad", "message": text])) ?? Data()
        case 1:
            headers.set("text/html", for: "Content-Type")
            let escaped = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            body = Data("<p>sorry: \(escaped ?? "")</p>".utf8)
        case 2:
            let key = request.headers["X-API-Key"] ?? request.headers["Cookie"] ?? "nobody"
            headers.set("text/plain; for=\(key)", for: "Content-Type")
            body = Data(text.utf8)
        default: body = Data("you said \(text)".utf8)
        }
        return response(status, headers, body, request)
    }

    private func redirect(_ status: Int, _ isOther: Bool, _ request: HTTPRequest) -> HTTPResponse {
        let path = state.withLock { Int.random(in: 0..<9, using: &$0.dice) }
        let isHome = request.url.host() == Self.host
        let host = isOther == isHome ? Self.otherHost : Self.host
        let place = isOther ? "https://\(host)/r\(path)" : "/r\(path)"
        return response(status, ["Location": place], Data(), request)
    }

    private func cacheable(_ request: HTTPRequest, _ text: String) -> HTTPResponse {
        let (age, status) = state.withLock { state in
            (Int.random(in: 0...3, using: &state.dice), Int.random(in: 0..<4, using: &state.dice))
        }
        let headers: HTTPHeaders = [
            "ETag": "\"v1\"", "Content-Type": "text/plain", "Cache-Control": "max-age=\(age)",
            "Date": HTTPDate(secondsSince1970: now).text,
        ]
        if request.headers["If-None-Match"] == "\"v1\"" {
            return response(304, headers, Data(), request)
        }
        state.withLock { $0.fullAnswers[request.url.absoluteString, default: 0] += 1 }
        return response(status == 0 ? 404 : 200, headers, Data(text.utf8), request)
    }

    /// Makes a new token, and invalidates all others.
    private func grant(_ request: HTTPRequest) -> HTTPResponse {
        let token = secrets.plant(in: "access token", for: Self.host)
        let lifetime = state.withLock { state in
            state.token = token
            return Int.random(in: 1...20, using: &state.dice)
        }
        let next = secrets.plant(in: "refresh token", for: Self.host)
        let text = """
            {"access_token":"\(token)","token_type":"Bearer","expires_in":\(lifetime),\
            "refresh_token":"\(next)"}
            """
        return response(
            200, ["Content-Type": "application/json"], Data(text.utf8), request)
    }

    /// The seconds of the wall clock; the scheduler's zero is a day in 2026.
    var now: Int64 { 1_780_000_000 + scheduler.now.offset.components.seconds }
}
