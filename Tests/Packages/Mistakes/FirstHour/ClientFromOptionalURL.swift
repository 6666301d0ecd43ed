import Foundation
import Pledge

func client() -> HTTPClient { HTTPClient(base: URL(string: "https://shop.example.com")) }
