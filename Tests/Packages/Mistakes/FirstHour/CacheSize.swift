import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{extra argument 'maxSize' in call}}
    client.cache = HTTPCache(maxSize: 1_000_000)
    return client
}
