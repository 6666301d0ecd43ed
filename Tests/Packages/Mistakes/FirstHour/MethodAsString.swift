import Foundation
import Pledge

func ping() -> Endpoint { Endpoint(path: "/ping", method: "POST") }
