import Foundation
import Pledge

/// The content of a login request.
struct LoginInfo: Codable, Sendable {
    var userName: String
    var password: String
}

/// The answer to a login.
struct NetworkResponse: Codable, Sendable {
    var message: String
}

extension Endpoint {
    static func login(_ info: LoginInfo) throws -> Endpoint {
        Endpoint(path: "/login", method: .post, body: try .json(info))
    }
}

/// The article's login in three steps, each an action: get the login info, send it, parse the answer.
func login(
    as info: LoginInfo,
    over networking: @escaping Networking
) -> Action<Void, NetworkResponse> {
    fetchLoginInfo(info) >- send(over: networking) >- parse
}

/// First step.
///
/// An app would read text fields here.
private func fetchLoginInfo(_ info: LoginInfo) -> Action<Void, LoginInfo> {
    { _, callback in
        print("  1. fetch the login info of \(info.userName)")
        callback(info)
    }
}

/// Second step: a network is a function that returns a future; here its result is passed to a callback.
private func send(
    over networking: @escaping Networking
) -> Action<LoginInfo, Result<Data, any Error>> {
    { info, callback in
        print("  2. send it")
        Future(value: info).flatMap { try networking(.login($0)) }.observe(callback)
    }
}

/// Third step.
///
/// A refused login also has a message in its answer; the error keeps it.
private let parse: Action<Result<Data, any Error>, NetworkResponse> = { result, callback in
    print("  3. parse the answer")
    let answer = result.flatMapError { error in
        Result { try (error as? HTTPError)?.body ?? { throw error }() }
    }
    let response = answer.flatMap { data in
        Result { try JSONDecoder().decode(NetworkResponse.self, from: data) }
    }
    callback((try? response.get()) ?? NetworkResponse(message: "The answer makes no sense."))
}
