import Foundation
import Pledge

// expected-error@+1 {{renamed to 'body'}}
func bytes(of response: HTTPResponse) -> Int { response.data.count }
