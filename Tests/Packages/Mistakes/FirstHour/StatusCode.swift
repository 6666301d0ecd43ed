import Foundation
import Pledge

// expected-error@+1 {{renamed to 'status'}}
func check(_ response: HTTPResponse) -> Bool { response.statusCode == 200 }
