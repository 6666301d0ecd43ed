import PledgeHTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension HTTPResponse {
    /// Makes a response from Foundation's, which has lost the order of the fields and has joined repeated
    /// ones.
    ///
    /// The fields are sorted by name, and Set-Cookie is split again. A field whose name is no token is dropped,
    /// and CR, LF and NUL in a value become spaces.
    init(_ response: HTTPURLResponse, body: Data) {
        var headers = HTTPHeaders()
        // The names and values are strings; to describe any other type would take a microsecond for each.
        let fields = response.allHeaderFields.map { name, value in
            (name.base as? String ?? "\(name)", value as? String ?? "\(value)")
        }
        for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) where HTTPHeaders.isToken(name) {
            let value = HTTPHeaders.withoutLineEnds(value)
            if name.utf8.count == 10, name.lowercased() == "set-cookie" {
                for cookie in SetCookie.split(value) { headers.add(cookie, for: name) }
            } else {
                headers.add(value, for: name)
            }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}

extension HTTPResponse {
    /// Removes the headers that are no longer true, if URLSession has decoded the body.
    ///
    /// A body in several codings stays encoded if one of them is not decoded.
    ///
    /// - Parameter known: The codings that URLSession decodes; nil for every one.
    mutating func dropFraming(decodedFrom known: Set<String>? = Self.decodedCodings) {
        let codings = (headers["Content-Encoding"] ?? "").lowercased().split(separator: ",")
            .map(HTTPHeaders.trimmed).filter { !$0.isEmpty && $0 != "identity" }
        guard request?.method != .head, !codings.isEmpty,
            known.map({ $0.isSuperset(of: codings) }) ?? true
        else { return }
        headers.remove("Content-Encoding")
        headers.remove("Content-Length")
    }

    /// The codings that URLSession decodes on this system; nil for every one.
    ///
    /// On Linux libcurl decodes a body or fails the call. Apple's URLSession passes on a body in a coding that
    /// it does not know, as the server sent it. It knows br since iOS 11, and zstd since the systems of 26.3.
    private static var decodedCodings: Set<String>? {
        #if canImport(FoundationNetworking)
        nil
        #else
        if #available(macOS 26.3, iOS 26.3, tvOS 26.3, watchOS 26.3, visionOS 26.3, *) {
            ["gzip", "x-gzip", "deflate", "br", "zstd"]
        } else {
            ["gzip", "x-gzip", "deflate", "br"]
        }
        #endif
    }
}
