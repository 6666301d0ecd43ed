import Foundation
import PledgeFutures
package import PledgeHTTPMessages
import PledgeHTTPTransportKit
package import PledgeServices

/// Asks for twenty URLs through a layer, and adds a byte to a file for each request that reaches the origin.
///
/// Several processes may do so at once. The origin's answers are fresh for an hour.
package func askForTwenty(
    through layer: Middleware<HTTPRequest, HTTPResponse>, noting path: String
) async throws {
    let origin: HTTPService = { _ in
        if let asked = fopen(path, "a") {
            fputs(".", asked)
            fclose(asked)
        }
        return Future(
            value: HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=3600"]))
    }
    let service = stack(layer, over: origin)
    for number in 0..<20 {
        let url = URL(string: "https://example.com/\(number)")!
        _ = try await service(HTTPRequest(.get, url)).value
    }
}
