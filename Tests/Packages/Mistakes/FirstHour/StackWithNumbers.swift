import Foundation
import Pledge

func networking(over client: HTTPClient) -> Networking {
    // expected-error@+1 {{value of type 'Int' to expected argument type 'Duration'}}
    stack(.timeout(2), .retry(attempts: 3), over: client.networking)
}
