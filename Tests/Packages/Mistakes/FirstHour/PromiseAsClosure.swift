import Foundation
import Pledge

func later() -> Future<Int> {
    // expected-error@+1 {{expects 0 arguments, but 2 were used in closure body}}
    Promise { resolve, reject in resolve(7) }
}
