import Foundation
import Pledge

// snippet: other-type-in-path
func orders(on day: Date) -> Endpoint {
    Endpoint(path: "/orders?day=\(day)")
}
// error: 'appendInterpolation' is unavailable: a path takes text, numbers, Bool, UUID and raw values of these: unwrap an optional, or give a default
// end snippet
