import Foundation
import Pledge

func networking(over client: HTTPClient) -> Networking {
    // expected-error@+1 {{extraneous argument label 'max:' in call}}
    stack(.timeout(.seconds(2)), .retry(max: 3), over: client.networking)
}
