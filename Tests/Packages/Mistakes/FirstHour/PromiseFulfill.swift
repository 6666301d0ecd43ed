import Foundation
import Pledge

func later() -> Future<Int> {
    let promise = Promise<Int>()
    // expected-error@+1 {{renamed to 'resolve(with:)'}}
    promise.fulfill(7)
    return promise
}
