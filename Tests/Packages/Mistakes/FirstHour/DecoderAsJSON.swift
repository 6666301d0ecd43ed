import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    let decoder = JSONDecoder()
    // expected-error@+1 {{value of type 'JSONDecoder' to type 'JSONCoding'}}
    client.json = decoder
    return client
}
