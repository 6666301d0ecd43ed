import Foundation
import Pledge

func client(_ token: @escaping @Sendable () async -> String) -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{in call to static method 'bearer'}}
    client.authorization = .bearer { await token() }
    return client
}
