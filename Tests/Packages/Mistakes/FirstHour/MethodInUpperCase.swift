import Foundation
import Pledge

// expected-error@+1 {{type 'HTTPMethod' has no member 'POST'}}
func ping() -> Endpoint { Endpoint(path: "/ping", method: .POST) }
