import Foundation
import Pledge

// expected-error@+1 {{'HTTPError.Code'}}
func isMissing(_ error: HTTPError) -> Bool { error.code == 404 }
