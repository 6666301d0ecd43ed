import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension HTTPResponse {
    /// Makes a response of Foundation's, which keeps the fields in no order, repeated ones joined.
    ///
    /// They are put in order of their names, and Set-Cookie is taken apart again.
    init(_ response: HTTPURLResponse, body: Data) {
        var headers = HTTPHeaders()
        // They are texts; the words of anything else would take a microsecond each to be made.
        let fields = response.allHeaderFields.map { name, value in
            (name.base as? String ?? "\(name)", value as? String ?? "\(value)")
        }
        for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) {
            if name.utf8.count == 10, name.lowercased() == "set-cookie" {
                for cookie in SetCookie.split(value) { headers.add(cookie, for: name) }
            } else {
                headers.add(value, for: name)
            }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}
