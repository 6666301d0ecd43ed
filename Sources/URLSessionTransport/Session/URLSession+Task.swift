import PledgeHTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension URLSession {
    /// Makes the task that sends a request.
    ///
    /// - Parameter isHTTP3: Whether the task may begin with HTTP/3, which Apple's systems alone have.
    func makeTask(
        for request: HTTPRequest, _ body: UploadBody, assumingHTTP3 isHTTP3: Bool = false
    ) -> URLSessionTask {
        var head = URLRequest(request)
        #if !canImport(FoundationNetworking)
        head.assumesHTTP3Capable = isHTTP3
        #endif
        switch body {
        case .none:
            return dataTask(with: head)
        case .data(let data):
            head.httpBody = data
            return dataTask(with: head)
        case .file(let url, _):
            return uploadTask(with: head, fromFile: url)
        }
    }
}

extension URLRequest {
    /// Makes the head of a request that has been validated.
    fileprivate init(_ request: HTTPRequest) {
        let url = request.url.withoutUser.withPlainScheme
        #if canImport(FoundationNetworking)
        self.init(url: url.withEncodedLiteral)
        #else
        self.init(url: url)
        #endif
        httpMethod = request.method.rawValue
        let headers = request.effectiveHeaders
        // Repeated fields are sent as one, joined as `HTTPHeaders` joins them.
        for (name, _) in headers { setValue(headers[name], forHTTPHeaderField: name) }
    }
}

extension URL {
    /// The same URL without user and password: URLSession would send them, on Linux unasked, and on Apple
    /// platforms on an app's session to a server that asks for a password.
    fileprivate var withoutUser: URL {
        let place = AbsoluteURL.schemeAndAuthority(of: self)
        guard let user = place.utf8.lastIndex(of: UInt8(ascii: "@")),
            let start = place.firstRange(of: "://")?.upperBound
        else { return self }
        let rest = absoluteString.utf8.dropFirst(place.utf8.count)
        let text = "\(place[..<start])\(place[place.index(after: user)...])\(Substring(rest))"
        return URL(string: text) ?? self
    }

    /// The same URL with its scheme in lower case, since URLSession on Linux ends the process for a scheme in
    /// any other case.
    fileprivate var withPlainScheme: URL {
        let text = absoluteString
        if text.utf8.starts(with: "http".utf8) { return self }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return self }
        return URL(string: text[..<colon].lowercased() + text[colon...]) ?? self
    }
}
