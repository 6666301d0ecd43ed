import Foundation

/// What each program uses; `.ci/mistakes` compiles it with them.
struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

let server = URL(string: "https://shop.example.com")!
