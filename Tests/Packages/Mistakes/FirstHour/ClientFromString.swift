import Foundation
import Pledge

// expected-error@+1 {{value of type 'String' to expected argument type 'URL'}}
func client() -> HTTPClient { HTTPClient(base: "https://shop.example.com") }
