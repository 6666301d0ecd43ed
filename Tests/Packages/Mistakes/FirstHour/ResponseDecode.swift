import Foundation
import Pledge

func product(in response: HTTPResponse) throws -> Product {
    // expected-error@+1 {{has no member 'decode'}}
    try response.decode(Product.self)
}
