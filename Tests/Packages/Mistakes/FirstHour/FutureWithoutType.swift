import Foundation
import Pledge

func name(from client: HTTPClient) -> Future<String> {
    // expected-error@+1 {{value of type 'HTTPResponse' has no member 'name'}}
    client.futures.get("/a").map { $0.name }
}
