import Foundation
import Pledge

func isTimeout(_ error: any Error) -> Bool {
    // expected-error@+1 {{type 'HTTPError' has no member 'timedOut'}}
    if case HTTPError.timedOut = error { return true }
    return false
}
