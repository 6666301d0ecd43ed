import HTTPNetworking

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
