import PledgeHTTPMessages
import PledgeHTTPText

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension URLSession {
    /// Creates the task that sends a request.
    ///
    /// - Parameter isHTTP3: True if the task may begin with HTTP/3, which only Apple's systems support.
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
    /// Without user and password: URLSession on Linux would send them unasked, and an app's session on Apple platforms
    /// to a server that asks for a password.
    fileprivate var withoutUser: URL {
        let place = AbsoluteURL.schemeAndAuthority(of: self)
        guard let user = place.utf8.lastIndex(of: UInt8(ascii: "@")),
            let start = place.firstRange(of: "://")?.upperBound
        else { return self }
        let rest = absoluteString.utf8.dropFirst(place.utf8.count)
        let text = "\(place[..<start])\(place[place.index(after: user)...])\(Substring(rest))"
        return URL(string: text) ?? self
    }

    /// With the scheme in lower case, because URLSession on Linux ends the process otherwise.
    fileprivate var withPlainScheme: URL {
        let text = absoluteString
        if text.utf8.starts(with: "http".utf8) { return self }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return self }
        return URL(string: text[..<colon].lowercased() + text[colon...]) ?? self
    }
}

#if canImport(FoundationNetworking)
extension URL {
    /// With a percent-encoded IPv6 address.
    ///
    /// URLSession on Linux passes a URL to libcurl only if Foundation and libcurl find the same host in it. In `[::1]`,
    /// they find `::1` and `[::1]`. In `%5B%3A%3A1%5D`, both find `[::1]`, which libcurl connects to, and sends in
    /// Host.
    var withEncodedLiteral: URL {
        replacingHost(from: "[", to: "]") { literal in
            "%5B\(literal.replacing("%", with: "%25").replacing(":", with: "%3A"))%5D"
        }
    }

    /// The inverse of ``withEncodedLiteral``.
    var withPlainLiteral: URL {
        replacingHost(from: "%5B", to: "%5D") { literal in
            "[\(literal.replacing("%3A", with: ":").replacing("%25", with: "%"))]"
        }
    }

    /// Replaces the host if it begins with `start` and contains `end`.
    private func replacingHost(
        from start: String, to end: String, by change: (Substring) -> String
    ) -> URL {
        let text = absoluteString
        guard let scheme = text.firstRange(of: "://") else { return self }
        let rest = text[scheme.upperBound...]
        let authority = rest[..<(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)]
        let hostStart = authority.lastIndex(of: "@").map(authority.index(after:))
        let host = authority[(hostStart ?? authority.startIndex)...]
        guard host.hasPrefix(start), let close = host.firstRange(of: end) else { return self }
        let inner = host[..<close.lowerBound].dropFirst(start.count)
        let changed = text[..<host.startIndex] + change(inner) + text[close.upperBound...]
        return URL(string: String(changed)) ?? self
    }
}
#endif
